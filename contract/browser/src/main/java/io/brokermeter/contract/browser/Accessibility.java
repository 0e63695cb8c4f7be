package io.brokermeter.contract.browser;

import java.util.List;

/**
 * What readers without a pointer, or with weak eyes, miss on a page.
 *
 * @param page the browser with the page
 */
public record Accessibility(Chromium page) {

    /**
     * Goes through a page that was just opened by the tabulator key, and returns the controls that this does not reach, and those that it
     * reaches without showing so, each by its beginning.
     */
    public List<String> missedByKeyboard() {
        String controls = "[...document.querySelectorAll('a[href], button, input, summary, [tabindex]')]"
            + ".filter(e => e.tabIndex >= 0 && !e.disabled && e.checkVisibility({visibilityProperty: true}))";
        long count = Math.round(page.number("(window.seen = new Set(), window.unseen = new Set(), " + controls + ".length)"));
        for (long i = 0; i <= count; i++) {
            page.key("Tab");
            page.eval("""
                (() => {
                  const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
                  seen.add(e);
                  const shows = s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2 && r.bottom > 0 && r.top < innerHeight;
                  if (e !== document.body && !shows) { unseen.add(e); }
                })()""");
        }
        return lines(controls + ".filter(e => !seen.has(e) || unseen.has(e)).map(e => e.outerHTML.slice(0, 100))");
    }

    /** Returns the visible texts of the page whose contrast is below what WCAG 2.2 asks for (criterion 1.4.3), each by its beginning. */
    public List<String> lowContrasts() {
        return lines(
            """
                (() => {
                  const rgba = text => { const n = text.match(/[\\d.]+/g).map(Number); return [...n.slice(0, 3), n[3] ?? 1]; };
                  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
                  const linear = v => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
                  const luminance = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
                  const ground = e => {
                    if (!e) { return [255, 255, 255, 1]; }
                    const own = rgba(getComputedStyle(e).backgroundColor);
                    return own[3] === 1 ? own : over(own, ground(e.parentElement));
                  };
                  return [...document.body.querySelectorAll('*')].filter(e => e.checkVisibility({visibilityProperty: true, opacityProperty: true})
                    && !e.disabled && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())).map(e => {
                      const s = getComputedStyle(e), below = ground(e);
                      const pair = [luminance(over(rgba(s.color), below)), luminance(below)].sort((a, b) => b - a);
                      const size = parseFloat(s.fontSize), large = size >= 24 || size >= 18.66 && s.fontWeight >= 700;
                      return [(pair[0] + 0.05) / (pair[1] + 0.05), large ? 3 : 4.5, e];
                  }).filter(([is, least]) => is < least).map(([is, , e]) => is.toFixed(2) + ': ' + e.outerHTML.slice(0, 100));
                })()""");
    }

    private List<String> lines(String expression) {
        String text = String.valueOf(page.eval(expression + ".map(l => l.replaceAll('\\n', ' ')).join('\\n')"));
        return text.isEmpty() ? List.of() : List.of(text.split("\n"));
    }
}
