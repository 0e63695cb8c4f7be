// The theme is set before anything is drawn; the rest waits for the page. Nothing is sent or fetched but the index of the search, a file beside this one.
(() => {
  const root = document.documentElement;
  const up = root.dataset.up;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const kept = (() => { try { return localStorage.getItem('theme'); } catch { return null; } })();
  root.classList.add('js');
  if (kept) root.classList.add(kept);
  const isDark = () => root.classList.contains('dark') || (dark.matches && !root.classList.contains('light'));

  let entries = null;
  let wanted = () => {};
  window.brokermeterIndex = all => {
    entries = all.map(([page, title, heading, anchor, text]) =>
      ({page, title, heading, anchor, text, head: (heading || title).toLowerCase(), all: `${title} ${heading} ${text}`.toLowerCase()}));
    wanted();
  };
  const load = () => {
    if (document.getElementById('index')) return;
    const script = document.createElement('script');
    script.id = 'index';
    script.src = `${up}site-index.js`;
    document.head.append(script);
  };

  // A word counts where one begins, since "own" is not what "known" is about.
  const pattern = word => new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}`, 'giu');
  const count = (text, word) => (text.match(pattern(word)) || []).length;

  // Each word must occur; headings weigh most, then how often the words occur, in relation to the length.
  const find = words => entries.map(entry => {
    let score = 0;
    for (const word of words) {
      const times = count(entry.all, word);
      if (times === 0) return {entry, score: 0};
      score += (count(entry.head, word) ? 20 : 0) + 100 * times / (200 + entry.all.length / 6);
    }
    return {entry, score};
  }).filter(({score}) => score > 0).sort((a, b) => b.score - a.score).slice(0, 40);

  const marked = (text, words) => {
    const out = document.createElement('p');
    const hits = words.flatMap(word => [...text.matchAll(pattern(word))]).sort((a, b) => a.index - b.index);
    const end = Math.min(text.length, Math.max(0, (hits[0]?.index ?? 0) - 60) + 220);
    let at = Math.max(0, (hits[0]?.index ?? 0) - 60);
    if (at > 0) out.append('… ');
    for (const hit of hits.filter(one => one.index < end)) {
      if (hit.index < at) continue;
      const mark = document.createElement('mark');
      mark.textContent = hit[0];
      out.append(text.slice(at, hit.index), mark);
      at = hit.index + hit[0].length;
    }
    out.append(text.slice(at, Math.max(at, end)));
    return out;
  };

  document.addEventListener('DOMContentLoaded', () => {
    const search = document.getElementById('search');
    const found = document.getElementById('found');
    const article = document.querySelector('article');
    const theme = document.getElementById('theme');
    const menu = document.getElementById('menu');
    const pages = document.getElementById('pages');
    for (const one of [search, theme, menu]) one.hidden = false;

    const named = () => { theme.textContent = isDark() ? 'Light' : 'Dark'; };
    named();
    dark.addEventListener('change', named);
    theme.addEventListener('click', () => {
      const next = isDark() ? 'light' : 'dark';
      root.classList.remove('light', 'dark');
      root.classList.add(next);
      try { localStorage.setItem('theme', next); } catch { /* the choice holds for this page */ }
      named();
    });
    menu.addEventListener('click', () => menu.setAttribute('aria-expanded', pages.classList.toggle('open')));

    const show = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(word => word);
      const asked = words.join('').length > 1;
      found.hidden = !asked;
      article.hidden = asked;
      if (!asked) return;
      if (!entries) { wanted = show; load(); return; }
      const hits = find(words);
      const title = document.createElement('h1');
      title.textContent = hits.length ? `${hits.length === 40 ? 'The best 40 places' : hits.length === 1 ? 'One place' : `${hits.length} places`} with “${words.join(' ')}”`
        : `Nothing has “${words.join(' ')}”`;
      const list = document.createElement('ol');
      for (const {entry} of hits) {
        const item = document.createElement('li');
        const link = document.createElement('a');
        link.href = `${up}${entry.page}${entry.heading ? `#${entry.anchor}` : ''}`;
        link.textContent = entry.heading ? `${entry.title}: ${entry.heading}` : entry.title;
        link.addEventListener('click', () => { search.value = ''; show(); });
        item.append(link, marked(entry.text, words));
        list.append(item);
      }
      found.replaceChildren(title, list);
    };
    search.addEventListener('focus', load);
    search.addEventListener('input', show);
    document.addEventListener('keydown', event => {
      if (event.key === '/' && document.activeElement !== search && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        search.focus();
      } else if (event.key === 'Escape' && search.value) {
        search.value = '';
        show();
      }
    });
    const asked = new URLSearchParams(location.search).get('q');
    if (asked) { search.value = asked; show(); }

    // What scrolls sideways must be reached by the keyboard, too.
    const reach = () => {
      for (const box of document.querySelectorAll('.scroll, pre')) {
        if (box.scrollWidth > box.clientWidth) { box.tabIndex = 0; } else { box.removeAttribute('tabindex'); }
      }
    };
    reach();
    addEventListener('resize', reach);
  });
})();
