/* Shows a run while it goes on, as its server tells it, and makes the report of the page at the end. */
(() => {
  const $ = id => document.getElementById(id), say = text => { $("now").textContent = text; };

  /* Makes elements like others. What has not changed stays as it is, and so do charts, which get their data by themselves. */
  const match = (now, next) => {
    if (now.isEqualNode(next) || now.matches(".tools, #readout, figure.chart")) { return; }
    if (!now.matches("main, section, header, header > div, .tiles")) { now.replaceWith(next); return; }
    const named = new Map([...now.children].filter(e => e.id).map(e => [e.id, e]));
    let at = now.firstElementChild;
    for (const want of [...next.children]) {
      const have = want.id ? named.get(want.id) : at && !at.id && at.tagName === want.tagName ? at : null;
      if (!have) { now.insertBefore(want, at); continue; }
      if (have === at) { at = at.nextElementSibling; } else { now.insertBefore(have, at); }
      match(have, want);
    }
    while (at) {
      const gone = at;
      at = at.nextElementSibling;
      gone.remove();
    }
  };

  const renew = (header, main, data) => {
    const figures = new Map([...main.querySelectorAll("figure.chart")].map(f => [f.id, f]));
    match(document.querySelector("header"), header);
    match(document.querySelector("main"), main);
    brokermeter.all.filter(c => !c.figure.isConnected).forEach(brokermeter.end);
    data.charts.forEach(spec => {
      const drawn = brokermeter.all.find(c => c.spec.id === spec.id), figure = figures.get(spec.id);
      if (drawn && drawn.renew(spec, data)) {
        drawn.figure.querySelector("figcaption").replaceWith(figure.querySelector("figcaption"));
        return;
      }
      if (drawn) {
        brokermeter.end(drawn);
        drawn.figure.replaceWith(figure);
      }
      brokermeter.make(spec, data);
    });
  };

  const element = html => new DOMParser().parseFromString(html, "text/html").body.firstElementChild;

  const end = async (name, text) => {
    const page = new DOMParser().parseFromString(text, "text/html"), packed = page.getElementById("data").textContent;
    renew(page.querySelector("header"), page.querySelector("main"), await brokermeter.unpack(packed));
    $("data").textContent = packed;
    $("live").remove();
    const save = document.createElement("button");
    save.type = "button";
    save.id = "save";
    save.textContent = "Save";
    save.addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/html" }));
      link.download = name;
      link.click();
    });
    document.querySelector(".tools").prepend(save);
    document.documentElement.dataset.state = "report";
  };

  const buttons = [...document.querySelectorAll("#live button")];
  buttons.forEach(button => button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const answer = await fetch(button.id + (button.value && "/" + button.value), { method: "POST" });
      say(await answer.text());
      button.disabled = answer.ok && (button.id === "end" || button.id === "fault");
    } catch (e) {
      say("The run could not be reached.");
    }
  }));

  /* Shows what can be done to the run now. */
  const offer = news => {
    const fault = $("fault");
    $("slower").hidden = $("faster").hidden = !news.rate;
    fault.hidden = !news.fault;
    if (fault.value !== String(news.fault)) {
      fault.value = news.fault;
      fault.textContent = fault.title = "Fault now: " + news.does;
      fault.disabled = false;
    }
  };

  brokermeter.ready.then(() => {
    const source = new EventSource("events");
    let failed = 0;
    const on = (name, action) => source.addEventListener(name, e => { failed = 0; action(JSON.parse(e.data)); });
    on("now", news => { say(news.text); offer(news); });
    // While a part of a chart is being marked, what lies below the mark stays: the newest page waits until the button is let go.
    let marking = false, waiting = null;
    const show = action => { if (marking) { waiting = action; } else { action(); } };
    window.addEventListener("mousedown", e => { marking = Boolean(e.target.closest("figure.chart")); }, true);
    window.addEventListener("mouseup", () => {
      const action = waiting;
      marking = false;
      waiting = null;
      // After the chart has taken the mark for its new range.
      if (action) { setTimeout(action); }
    });
    on("page", news => show(() => renew(element(news.header), element(news.main), news.data)));
    on("report", report => { source.close(); show(() => end(report.name, report.text)); });
    on("over", news => { source.close(); say(news.text); buttons.forEach(one => one.remove()); });
    source.addEventListener("error", () => {
      if (++failed > 3 || source.readyState === EventSource.CLOSED) {
        source.close();
        buttons.forEach(one => one.remove());
        say("The run does not answer any more: it has ended. What it left is shown by brokermeter report.");
      }
    });
  });
})();
