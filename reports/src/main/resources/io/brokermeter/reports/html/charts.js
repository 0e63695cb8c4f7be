"use strict";
/* Draws what Chart.java describes. One chart is one uPlot; those over time move and zoom together. */
const brokermeter = (() => {
  const root = document.documentElement;
  const css = name => getComputedStyle(root).getPropertyValue(name).trim();
  const DASHES = [[], [6, 3], [2, 2], [10, 3, 2, 3], [], [4, 4], [1, 3], [12, 4]];
  const CIVIDIS = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];

  // ---- figures as text ----

  const three = v => {
    const a = Math.abs(v);
    return a >= 99.95 || a === 0 ? Math.round(v).toLocaleString("en-US") : String(+v.toPrecision(3));
  };
  const time = us => {
    const a = Math.abs(us);
    return a < 1 ? "<1 us" : a < 999.5 ? three(us) + " us" : a < 999500 ? three(us / 1e3) + " ms" : three(us / 1e6) + " s";
  };
  const bytes = v => {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let u = 0;
    while (Math.abs(v) >= 1023.5 && u < 4) { v /= 1024; u++; }
    return three(v) + " " + units[u];
  };
  const UNITS = {
    micros: time, per_second: v => three(v) + "/s", percent: v => three(v) + " %", bytes, count: three,
    millis_per_second: v => three(v) + " ms/s", micros_per_message: v => three(v) + " us"
  };
  const seconds = s => (Math.abs(s) < 100 ? +s.toFixed(s % 1 ? 3 : 0) : +s.toFixed(1)) + " s";
  /* Of a run of more than ten minutes: 1:02:03. */
  const clock = s => {
    const two = n => String(n).padStart(2, "0"), t = Math.round(s);
    return (t >= 3600 ? Math.floor(t / 3600) + ":" + two(Math.floor(t / 60) % 60) : Math.floor(t / 60)) + ":" + two(t % 60);
  };
  const percentile = x => {
    const p = 100 * (1 - Math.pow(10, -x));
    return +p.toFixed(Math.max(0, Math.ceil(x) - 1) + (x % 1 ? 1 : 0)) + " %";
  };

  // ---- colour of a number of messages ----

  const ramp = () => {
    // On dark paper the first steps could not be told from it.
    const from = root.classList.contains("dark") ? 0.34 : 0;
    return share => {
      const at = (from + (1 - from) * Math.max(0, Math.min(1, share))) * (CIVIDIS.length - 1);
      const i = Math.min(CIVIDIS.length - 2, Math.floor(at));
      const mix = k => Math.round(parseInt(CIVIDIS[i].substr(k, 2), 16) * (1 - at + i) + parseInt(CIVIDIS[i + 1].substr(k, 2), 16) * (at - i));
      return "rgb(" + mix(1) + "," + mix(3) + "," + mix(5) + ")";
    };
  };

  const heatMost = heat => Math.max(1, ...heat.cells.map(c => Math.max(0, ...c.slice(1))));

  const drawHeat = (u, heat, edges) => {
    const ctx = u.ctx, most = heatMost(heat), colour = ramp(), steps = [];
    for (let i = 0; i <= 64; i++) { steps.push(colour(i / 64)); }
    const least = Math.max(1, Math.round(2 * devicePixelRatio));
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    const y = heat.edges.map(e => Math.round(u.valToPos(e, "y", true)));
    heat.cells.forEach((cells, c) => {
      if (!cells.length || edges[c + 1] < u.scales.x.min || edges[c] > u.scales.x.max) { return; }
      const left = Math.round(u.valToPos(edges[c], "x", true));
      const width = Math.max(least, Math.round(u.valToPos(edges[c + 1], "x", true)) - left);
      for (let k = 1; k < cells.length; k++) {
        if (cells[k] > 0) {
          const row = cells[0] + k - 1;
          ctx.fillStyle = steps[most === 1 ? 64 : Math.round(64 * Math.log(cells[k]) / Math.log(most))];
          ctx.fillRect(left, y[row + 1], width, Math.max(least, y[row] - y[row + 1]));
        }
      }
    });
    ctx.restore();
  };

  // ---- what stands behind and over the lines ----

  const drawBands = (u, bands, named) => {
    const ctx = u.ctx, r = devicePixelRatio;
    ctx.save();
    ctx.font = 11 * r + "px system-ui, sans-serif";
    ctx.textBaseline = "bottom";
    ctx.textAlign = "left";
    bands.forEach((band, i) => {
      const left = Math.max(u.bbox.left, u.valToPos(band.from, "x", true));
      const right = Math.min(u.bbox.left + u.bbox.width, u.valToPos(band.to, "x", true));
      if (right <= left) { return; }
      if (band.name === "warm-up" || i % 2 === 0) {
        ctx.fillStyle = css("--band");
        ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
      }
      if (named && ctx.measureText(band.name).width < right - left) {
        ctx.strokeStyle = css("--paper");
        ctx.lineWidth = 3 * r;
        ctx.strokeText(band.name, left + 3 * r, u.bbox.top + u.bbox.height - 2 * r);
        ctx.fillStyle = css("--quiet");
        ctx.fillText(band.name, left + 3 * r, u.bbox.top + u.bbox.height - 2 * r);
      }
    });
    ctx.restore();
  };

  const drawMarks = (u, marks, named) => {
    const ctx = u.ctx, r = devicePixelRatio;
    let free = -Infinity;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = css("--mark");
    ctx.lineWidth = r;
    ctx.font = "bold " + 11 * r + "px system-ui, sans-serif";
    ctx.textBaseline = "bottom";
    ctx.textAlign = "left";
    marks.forEach(mark => {
      const x = Math.round(u.valToPos(mark.at, "x", true)) + 0.5;
      if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) { return; }
      ctx.setLineDash([4 * r, 3 * r]);
      ctx.beginPath();
      ctx.moveTo(x, u.bbox.top);
      ctx.lineTo(x, u.bbox.top + u.bbox.height);
      ctx.stroke();
      if (named && x > free) {
        const width = ctx.measureText(mark.kind).width;
        const at = Math.min(x + 3 * r, u.bbox.left + u.bbox.width - width);
        ctx.setLineDash([]);
        ctx.strokeStyle = css("--paper");
        ctx.lineWidth = 3 * r;
        ctx.strokeText(mark.kind, at, u.bbox.top + u.bbox.height - 2 * r);
        ctx.strokeStyle = css("--mark");
        ctx.lineWidth = r;
        ctx.fillText(mark.kind, at, u.bbox.top + u.bbox.height - 2 * r);
        free = at + width + 4 * r;
      }
    });
    ctx.restore();
  };

  /* What happened in a stretch of time, a row for each above the plot: a bar from one moment to another, or a moment; and where they are in the plot. */
  const ROW = 17;
  const drawSpans = (u, spans) => {
    const ctx = u.ctx, r = devicePixelRatio, left = u.bbox.left, right = left + u.bbox.width;
    ctx.save();
    ctx.font = 12 * r + "px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    spans.forEach((span, i) => {
      const from = u.valToPos(span.from, "x", true), to = span.to === null ? Infinity : u.valToPos(span.to, "x", true);
      const y = u.bbox.top - (spans.length - i) * ROW * r;
      if (to < left - 1 || from > right + 1) { return; }
      const a = Math.max(left, from), b = Math.min(right, Math.max(to, from)), colour = css("--c" + span.style), width = ctx.measureText(span.text).width;
      ctx.fillStyle = ctx.strokeStyle = colour;
      ctx.lineWidth = r;
      ctx.setLineDash([3 * r, 3 * r]);
      ctx.beginPath();
      [from, to].filter((x, k) => x >= left - 1 && x <= right + 1 && (k === 0 || x > from + r)).forEach(x => {
        ctx.moveTo(Math.round(x) + 0.5, y + ROW * r * 0.8);
        ctx.lineTo(Math.round(x) + 0.5, u.bbox.top + u.bbox.height);
      });
      ctx.globalAlpha = 0.7;
      ctx.stroke();
      ctx.globalAlpha = 1;
      ctx.setLineDash([]);
      if (to > from) {
        ctx.fillRect(a, y + 3 * r, Math.max(2 * r, b - a), (ROW - 6) * r);
      } else {
        ctx.beginPath();
        ctx.moveTo(a - 5 * r, y + 3 * r); ctx.lineTo(a + 5 * r, y + 3 * r); ctx.lineTo(a, y + (ROW - 3) * r);
        ctx.fill();
      }
      // Beside it where there is room, else on it.
      const gap = 8 * r;
      const end = right + 24 * r;
      const at = b + gap + width <= end ? b + gap : a - gap - width >= 2 * r ? a - gap - width : Math.max(2 * r, end - width);
      if (at > a - gap - width && at < b) {
        ctx.strokeStyle = css("--paper");
        ctx.lineWidth = 4 * r;
        ctx.lineJoin = "round";
        ctx.strokeText(span.text, at, y + ROW * r / 2);
      }
      ctx.fillStyle = css("--ink");
      ctx.fillText(span.text, at, y + ROW * r / 2);
    });
    ctx.restore();
  };

  const drawWhiskers = (u, spec) => {
    const ctx = u.ctx, r = devicePixelRatio;
    ctx.save();
    ctx.lineWidth = 1.5 * r;
    spec.series.forEach((s, i) => {
      if (!s.low || !u.series[i + 1].show) { return; }
      ctx.strokeStyle = css("--c" + s.style % 8);
      s.low.forEach((low, k) => {
        if (low === null || s.high[k] === null) { return; }
        const x = u.valToPos(u.data[0][k], "x", true), a = u.valToPos(low, "y", true), b = u.valToPos(s.high[k], "y", true);
        ctx.beginPath();
        ctx.moveTo(x, a); ctx.lineTo(x, b);
        ctx.moveTo(x - 4 * r, a); ctx.lineTo(x + 4 * r, a);
        ctx.moveTo(x - 4 * r, b); ctx.lineTo(x + 4 * r, b);
        ctx.stroke();
      });
    });
    ctx.restore();
  };

  /* Lines over a heat map: of the colour of ink with a rim of paper, since no colour stands out from all others. */
  const OVER = [[], [6, 3], [2, 2]];
  const drawOver = (u, spec) => {
    const ctx = u.ctx, r = devicePixelRatio, x = u.data[0];
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    spec.series.forEach((s, i) => {
      if (!u.series[i + 1].show || s.form === "hidden") { return; }
      const path = new Path2D();
      let open = false;
      u.data[i + 1].forEach((v, k) => {
        if (v === null) { open = false; return; }
        const px = u.valToPos(x[k], "x", true), py = u.valToPos(v, "y", true);
        if (open) { path.lineTo(px, py); } else { path.moveTo(px - (x.length === 1 ? 8 * r : 0.5), py); path.lineTo(px + (x.length === 1 ? 8 * r : 0.5), py); }
        open = true;
      });
      ctx.lineJoin = "round";
      ctx.globalAlpha = 0.75;
      ctx.strokeStyle = css("--paper");
      ctx.lineWidth = 3.5 * r;
      ctx.setLineDash([]);
      ctx.stroke(path);
      ctx.globalAlpha = 1;
      ctx.strokeStyle = css("--ink");
      ctx.lineWidth = 1.3 * r;
      ctx.setLineDash(OVER[i % 3].map(d => d * r));
      ctx.stroke(path);
    });
    ctx.restore();
  };

  // ---- ranges and ticks ----

  const yRange = spec => (u, low, high) => {
    if (spec.heat) { return [spec.heat.edges[0], spec.heat.edges[spec.heat.edges.length - 1]]; }
    if (low === null || !isFinite(low)) { return spec.log ? [1, 10] : [0, 1]; }
    spec.series.forEach(s => (s.low || []).forEach((v, k) => {
      if (v !== null) { low = Math.min(low, v); high = Math.max(high, s.high[k]); }
    }));
    if (spec.log) {
      low = Math.max(low, LEAST[spec.unit] || 1e-3);
      high = Math.max(high, low);
      return [low / 1.25, Math.max(high * 1.25, low * 2)];
    }
    return [Math.min(0, low), high > 0 ? high * (spec.bend ? 1.3 : 1.08) : 1];
  };

  /* What is less stands there on a logarithmic axis. */
  const LEAST = { micros: 0.5 };

  const logSplits = (u, axis, low, high) => {
    const all = [];
    for (let d = Math.floor(Math.log10(low)); d <= Math.log10(high); d++) {
      (high / low > 5e3 ? [1] : high / low > 60 ? [1, 3] : [1, 2, 3, 5, 7]).forEach(m => {
        const v = m * Math.pow(10, d);
        if (v >= low && v <= high) { all.push(v); }
      });
    }
    return all;
  };

  const binarySplits = (u, axis, low, high) => {
    const all = [], steps = Math.log2(high / low), each = Math.max(1, Math.ceil(steps / 8));
    for (let d = Math.floor(Math.log2(low)); d <= Math.log2(high); d += each) {
      (steps < 3 ? [1, 1.25, 1.5, 1.75] : [1]).map(m => m * Math.pow(2, d)).filter(v => v >= low && v <= high).forEach(v => all.push(v));
    }
    return all;
  };

  /* Even steps up to where the axis becomes logarithmic, then 1, 2 and 5 of each power of ten. */
  const bentSplits = bend => (u, axis, low, high) => {
    const all = [0, bend / 2, bend];
    for (let d = Math.floor(Math.log10(bend)); d <= Math.log10(high); d++) {
      [1, 2, 5].map(m => m * Math.pow(10, d)).filter(v => v > 1.6 * bend && v <= high).forEach(v => all.push(v));
    }
    return all;
  };

  // ---- one chart ----

  const all = [];

  /* The data of a chart in the form of uPlot. */
  const columns = (spec, x) => [x].concat(spec.series.map(s => spec.log ? s.values.map(v => v === null ? null : Math.max(v, LEAST[spec.unit] || 1e-3)) : s.values));

  const make = (spec, page) => {
    const figure = document.getElementById(spec.id), plot = figure.querySelector(".plot"), keys = figure.querySelector(".keys");
    const stretch = spec.axis === "stretch", timed = spec.axis === "time" || stretch;
    const placed = spec.axis === "places" || spec.axis === "values";
    const text = UNITS[spec.unit];
    const isLong = at => spec.axis === "time" && at[at.length - 1] > 600;
    let edges, marks, x;
    const whole = {};
    take(spec, page);
    const long = isLong(edges);
    const moment = s => long ? clock(s) : stretch ? +s.toFixed(3) + " s" : seconds(s);
    const where = i => timed ? moment(x[i]) : spec.axis === "percentile" ? percentile(x[i]) : (spec.xTitle ? spec.xTitle + " " : "") + spec.names[i];
    const outputs = [];
    const width = () => Math.max(200, plot.clientWidth);
    const chart = { spec, figure, plot, whole, renew, get x() { return x; } };

    const series = spec.series.map(s => ({
      label: s.label,
      stroke: () => css("--c" + s.style % 8),
      width: s.form === "thin" ? 1 : 1.75,
      dash: s.form === "thin" ? [2, 3] : DASHES[s.style % 8],
      spanGaps: s.form === "dots",
      paths: s.form === "marks" || s.form === "points" || spec.heat ? () => null : undefined,
      points: spec.heat ? { show: false } : s.form === "marks" ? { show: true, size: 11, width: 2, fill: () => css("--paper"), stroke: () => css("--c" + s.style % 8) }
        : s.form === "dots" || s.form === "points" ? { show: true, size: 7, fill: () => css("--c" + s.style % 8) }
          // A value between two gaps is no line: without a point it would not be seen.
          : { show: (u, i) => lonely(u.data[i]), size: 4, fill: () => css("--c" + s.style % 8) }
    }));

    const options = {
      width: width(), height: spec.height,
      padding: [6 + (spec.named ? ROW * spec.spans.length : 0), 26, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, range: (u, low, high) => low < high ? [low, high] : [whole.min, whole.max] },
        y: { distr: spec.log ? 3 : spec.bend ? 4 : 1, log: 10, asinh: spec.bend || 1, range: (u, low, high) => yRange(spec)(u, low, high) }
      },
      axes: [
        axis({
          size: 28, space: timed ? 60 : 45,
          incrs: long ? [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400] : undefined,
          splits: timed ? undefined : (u, a, min, max) => (placed ? thinned(spec.ticks || x, width()) : [...Array(Math.floor(whole.max) + 1).keys()])
            .filter(v => v >= min && v <= max),
          values: (u, at) => at.map(v => long ? clock(v) : timed ? (u.scales.x.max - u.scales.x.min < 3 ? +v.toFixed(3) : +v.toFixed(1)) + " s"
            : spec.axis === "percentile" ? percentile(v) : spec.names[x.indexOf(v)])
        }),
        axis({
          size: 78, space: spec.height < 130 ? 18 : 30,
          incrs: spec.unit === "bytes" ? Array.from({ length: 50 }, (v, k) => Math.pow(2, k)) : undefined,
          values: (u, at) => at.map(v => v === null ? "" : text(v)), splits: spec.log ? (spec.unit === "bytes" ? binarySplits : logSplits) : spec.bend ? bentSplits(spec.bend) : undefined,
          filter: spec.log || spec.bend ? (u, at) => at : undefined
        })
      ],
      series: [{}].concat(series),
      cursor: {
        sync: timed ? { key: spec.axis } : undefined,
        drag: { x: true, y: false, setScale: true, dist: 4 },
        points: { show: !spec.heat, size: 6 },
        y: false,
        bind: { dblclick: () => () => { chart.u.setScale("x", whole); return null; } }
      },
      hooks: {
        drawClear: [u => {
          if (timed && !stretch) { drawBands(u, page.bands, spec.id === "rate"); }
          if (spec.heat) { drawHeat(u, spec.heat, edges); }
        }],
        draw: [u => {
          if (stretch && spec.named) { drawSpans(u, spec.spans); }
          if (timed && !stretch) { drawMarks(u, marks, spec.id === "heat"); }
          drawWhiskers(u, spec);
          if (spec.heat) { drawOver(u, spec); }
        }],
        setCursor: [u => show(u.cursor.left < 0 ? null : u.cursor.idx)],
        setScale: [(u, key) => { if (key === "x") { zoomed(chart); } }]
      }
    };
    keysOf();
    const u = chart.u = new uPlot(options, columns(spec, x), plot);
    // A chart that is made anew while the page lives shows the part to which its neighbours are zoomed.
    const near = timed && all.find(c => c.spec.axis === spec.axis && narrowed(c));
    u.setScale("x", near ? { min: near.u.scales.x.min, max: near.u.scales.x.max } : whole);
    plot.addEventListener("keydown", pressed);
    plot.addEventListener("blur", () => u.setCursor({ left: -10, top: -10 }));
    figure.querySelector("details").addEventListener("toggle", table);
    all.push(chart);
    return chart;

    // ---- the data ----

    function take(next, all) {
      spec = next;
      page = all;
      edges = stretch ? spec.edges : page.edges;
      marks = stretch ? spec.spans.map(m => ({ at: m.from, kind: m.text, text: "" })) : page.marks;
      x = timed ? edges.slice(1).map((e, i) => (e + edges[i]) / 2) : spec.x;
      const span = timed ? [edges[0], edges[edges.length - 1]] : [x[0], x[x.length - 1]];
      const air = timed ? 0 : (span[1] - span[0]) * (placed ? 0.05 : 0.01) || 0.5;
      whole.min = span[0] - (placed ? air : 0);
      whole.max = span[1] + air;
    }

    /* Shows other data in place: all of it, or the part of it to which the user has zoomed. Returns whether that could be done, else the chart is to be made anew. */
    function renew(next, all) {
      const named = s => s.series.map(one => one.label + one.form).join();
      if (named(next) !== named(spec) || isLong(all.edges) !== long || !next.heat !== !spec.heat) { return false; }
      const { min, max } = u.scales.x, zoomed = narrowed(chart);
      take(next, all);
      chart.spec = spec;
      u.setData(columns(spec, x), false);
      u.setScale("x", zoomed ? { min, max } : { min: whole.min, max: whole.max });
      if (spec.heat) { ramped(); }
      table();
      return true;
    }

    // ---- keys and read-out ----

    function keysOf() {
      const at = document.createElement("span");
      at.className = "at";
      keys.append(at);
      chart.at = at;
      spec.series.forEach((s, i) => {
        if (s.form === "thin") { outputs.push(null); return; }
        const b = document.createElement("button"), o = document.createElement("output");
        b.type = "button";
        b.setAttribute("aria-pressed", "true");
        b.append(s.form === "hidden" ? "" : sample(s, spec.heat ? OVER[i % 3] : DASHES[s.style % 8], spec.heat ? "--ink" : "--c" + s.style % 8), s.label);
        b.disabled = s.form === "hidden";
        b.addEventListener("click", () => {
          const on = b.getAttribute("aria-pressed") !== "true";
          b.setAttribute("aria-pressed", String(on));
          u.setSeries(i + 1, { show: on });
          if (spec.series[i + 1] && spec.series[i + 1].form === "thin") { u.setSeries(i + 2, { show: on }); }
        });
        const pair = document.createElement("span");
        pair.append(b, " ", o);
        keys.append(pair);
        outputs.push(o);
      });
      if (spec.heat) {
        const r = document.createElement("span");
        r.className = "ramp";
        const i = document.createElement("i");
        r.append("", i, "");
        keys.append(r);
        chart.rampBar = i;
        ramped();
        paintRamp(chart);
      }
    }

    function ramped() {
      const most = heatMost(spec.heat), r = chart.rampBar.parentNode;
      r.firstChild.textContent = most === 1 ? "" : "1";
      r.lastChild.textContent = most === 1 ? "1 message" : three(most) + " messages";
    }

    function show(i) {
      chart.at.textContent = i === null || i === undefined ? "" : where(i);
      outputs.forEach((o, k) => {
        if (o) {
          const v = i === null || i === undefined ? null : value(k, i);
          o.textContent = v === null || v === undefined ? "" : text(v);
        }
      });
    }

    function value(k, i) {
      const v = spec.series[k].values[i], next = spec.series[k + 1];
      return v === null && next && next.form === "thin" ? next.values[i] : v;
    }

    function said(i) {
      const parts = [where(i)];
      spec.series.forEach((s, k) => {
        if (s.form !== "thin") { parts.push(s.label + " " + (value(k, i) === null ? "no value" : text(value(k, i)))); }
      });
      if (spec.heat) {
        const n = spec.heat.cells[i].slice(1).reduce((a, b) => a + b, 0);
        parts.push(three(n) + (n === 1 ? " message" : " messages"));
      }
      marks.filter(m => timed && m.at >= edges[i] && m.at < edges[i + 1]).forEach(m => parts.push(m.kind + (m.text ? ": " + m.text : "")));
      return parts.join(", ");
    }

    // ---- keyboard ----

    function pressed(e) {
      const last = x.length - 1;
      const now = u.cursor.left >= 0 && u.cursor.idx !== null && u.cursor.idx !== undefined ? u.cursor.idx : null;
      const step = e.shiftKey ? Math.max(1, Math.round(x.length / 20)) : 1;
      let to = null;
      if (e.ctrlKey || e.altKey || e.metaKey) { return; }
      if (e.key === "ArrowRight") { to = now === null ? first() : Math.min(last, now + step); }
      else if (e.key === "ArrowLeft") { to = now === null ? last : Math.max(0, now - step); }
      else if (e.key === "Home") { to = 0; }
      else if (e.key === "End") { to = last; }
      else if (e.key === "+" || e.key === "=") { zoom(0.5, now); }
      else if (e.key === "-") { zoom(2, now); }
      else if (e.key === "0" || e.key === "Escape") { u.setScale("x", whole); }
      else { return; }
      e.preventDefault();
      if (to !== null) {
        const s = u.scales.x;
        if (x[to] < s.min || x[to] > s.max) {
          const half = (s.max - s.min) / 2;
          const middle = Math.min(whole.max - half, Math.max(whole.min + half, x[to]));
          u.setScale("x", { min: middle - half, max: middle + half });
        }
        requestAnimationFrame(() => {
          u.setCursor({ left: u.valToPos(x[to], "x"), top: u.over.clientHeight / 2 });
          show(to);
          if (timed) { all.forEach(o => { if (o !== chart && o.spec.axis === spec.axis) { o.u.setCursor({ left: o.u.valToPos(x[to], "x"), top: o.u.over.clientHeight / 2 }); } }); }
          document.getElementById("readout").textContent = said(to);
        });
      }
    }

    function first() {
      const i = x.findIndex(v => v >= u.scales.x.min);
      return i < 0 ? 0 : i;
    }

    function zoom(factor, now) {
      const s = u.scales.x, middle = now === null ? (s.min + s.max) / 2 : x[now];
      const length = Math.min(whole.max - whole.min, Math.max((whole.max - whole.min) / 500, (s.max - s.min) * factor));
      const min = Math.max(whole.min, Math.min(whole.max - length, middle - length / 2));
      u.setScale("x", { min, max: min + length });
    }

    // ---- the table behind it ----

    function table() {
      figure.querySelector(".scroll").replaceChildren();
      if (!figure.querySelector("details").open) { return; }
      const t = document.createElement("table"), head = t.createTHead().insertRow(), body = t.createTBody();
      const names = [timed ? "from" : spec.axis === "percentile" ? "percentile" : spec.xTitle].concat(spec.series.filter(s => s.form !== "thin").map(s => s.label),
        spec.heat ? ["messages"] : []);
      names.forEach(n => { const th = document.createElement("th"); th.scope = "col"; th.textContent = n; head.append(th); });
      x.forEach((v, i) => {
        if (spec.ticks && !spec.ticks.includes(v)) { return; }
        const row = body.insertRow(), th = document.createElement("th");
        th.scope = "row";
        th.textContent = timed ? moment(edges[i]) : placed ? spec.names[i] : where(i);
        row.append(th);
        spec.series.forEach((s, k) => {
          if (s.form !== "thin") {
            const c = value(k, i);
            row.insertCell().textContent = c === null || c === undefined ? "" : text(c) + (s.low && s.low[i] !== null ? " (" + text(s.low[i]) + " to " + text(s.high[i]) + ")" : "");
          }
        });
        if (spec.heat) { row.insertCell().textContent = spec.heat.cells[i].slice(1).reduce((a, b) => a + b, 0).toLocaleString("en-US"); }
      });
      figure.querySelector(".scroll").append(t);
    }
  };

  const lonely = values => values.some((v, i) => v !== null && (i === 0 || values[i - 1] === null) && (i === values.length - 1 || values[i + 1] === null));

  const thinned = (x, width) => {
    const room = Math.max(1, Math.floor(width / 70));
    if (x.length <= room) { return x; }
    const each = Math.ceil(x.length / room);
    return x.filter((v, i) => i % each === 0);
  };

  const axis = more => Object.assign({
    stroke: () => css("--quiet"), font: "12px system-ui, sans-serif", gap: 4,
    grid: { stroke: () => css("--rule"), width: 0.6 }, ticks: { stroke: () => css("--rule"), width: 0.6, size: 4 }
  }, Object.fromEntries(Object.entries(more).filter(([, v]) => v !== undefined)));

  /* The line as it is drawn, for the key. */
  const sample = (s, dash, colour) => {
    const NS = "http://www.w3.org/2000/svg", svg = document.createElementNS(NS, "svg");
    svg.setAttribute("viewBox", "0 0 26 10");
    svg.style.width = "26px";
    svg.setAttribute("aria-hidden", "true");
    const shape = document.createElementNS(NS, s.form === "marks" || s.form === "points" ? "circle" : "line");
    if (s.form === "marks" || s.form === "points") {
      shape.setAttribute("cx", "13"); shape.setAttribute("cy", "5"); shape.setAttribute("r", "4"); shape.style.fill = s.form === "marks" ? "none" : "var(" + colour + ")";
    } else {
      shape.setAttribute("x1", "0"); shape.setAttribute("x2", "26"); shape.setAttribute("y1", "5"); shape.setAttribute("y2", "5");
      shape.setAttribute("stroke-dasharray", dash.join(" "));
    }
    shape.style.stroke = "var(" + colour + ")";
    shape.setAttribute("stroke-width", "2");
    svg.append(shape);
    return svg;
  };

  const paintRamp = chart => {
    const colour = ramp(), stops = [];
    for (let i = 0; i <= 8; i++) { stops.push(colour(i / 8)); }
    chart.rampBar.style.background = "linear-gradient(to right, " + stops.join(", ") + ")";
  };

  // ---- zoom of all that share the time ----

  let moving = false;
  const zoomed = from => {
    const s = from.u && from.u.scales.x;
    if (!s || moving || !["time", "stretch"].includes(from.spec.axis)) { return button(); }
    moving = true;
    all.forEach(c => {
      // What differs by rounding alone would go to and fro without an end.
      const near = (s.max - s.min) * 1e-6;
      if (c !== from && c.spec.axis === from.spec.axis && (Math.abs(c.u.scales.x.min - s.min) > near || Math.abs(c.u.scales.x.max - s.max) > near)) {
        c.u.setScale("x", { min: s.min, max: s.max });
      }
    });
    moving = false;
    button();
  };
  const narrowed = c => c.u && (c.u.scales.x.min > c.whole.min + 1e-9 || c.u.scales.x.max < c.whole.max - 1e-9);
  const button = () => {
    document.getElementById("reset").hidden = !all.some(narrowed);
  };

  return {
    make, all, css,
    end: chart => { all.splice(all.indexOf(chart), 1); chart.u.destroy(); },
    showAll: () => all.forEach(c => c.u.setScale("x", c.whole)),
    repaint: () => all.forEach(c => { c.u.redraw(false, false); if (c.rampBar) { paintRamp(c); } }),
    resize: () => all.forEach(c => { const w = Math.max(200, c.plot.clientWidth); if (w !== c.u.width) { c.u.setSize({ width: w, height: c.spec.height }); } })
  };
})();
