/* Unpacks the data, draws the charts, and does what buttons, printers and windows of other widths ask for. */
brokermeter.unpack = async text => {
  const packed = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
};

brokermeter.ready = (async () => {
  const root = document.documentElement, $ = id => document.getElementById(id);

  // ---- light and dark ----

  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const theme = on => {
    root.classList.toggle("dark", on);
    $("theme").textContent = on ? "Light" : "Dark";
    brokermeter.repaint();
  };
  theme(dark.matches);
  dark.addEventListener("change", () => { if (chosen === null) { theme(dark.matches); } });
  $("theme").addEventListener("click", () => { chosen = !root.classList.contains("dark"); theme(chosen); });

  // ---- data ----

  const page = await brokermeter.unpack($("data").textContent);
  page.charts.forEach(spec => brokermeter.make(spec, page));

  $("reset").addEventListener("click", brokermeter.showAll);
  new ResizeObserver(() => requestAnimationFrame(brokermeter.resize)).observe(document.querySelector("main"));

  document.addEventListener("click", async e => {
    const b = e.target.closest("[data-copy]");
    if (!b) { return; }
    const text = $(b.dataset.copy).textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch (refused) {
      // A browser may keep the clipboard from files: the text is selected, so that a key copies it.
      const range = document.createRange();
      range.selectNodeContents($(b.dataset.copy));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
    }
    b.textContent = "Copied";
  });

  // ---- paper is light; the style scales the charts to its width ----

  let darkBefore = false;
  addEventListener("beforeprint", () => {
    darkBefore = root.classList.contains("dark");
    theme(false);
  });
  addEventListener("afterprint", () => theme(darkBefore));

  root.dataset.state = "ready";
})().catch(e => {
  document.documentElement.dataset.state = "failed";
  const p = document.createElement("p");
  p.textContent = "The charts cannot be drawn by this browser (" + e.message + "); everything else is here.";
  document.querySelector("main").prepend(p);
});
