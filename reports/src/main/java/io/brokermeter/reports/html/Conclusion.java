package io.brokermeter.reports.html;

import java.util.List;
import java.util.Locale;

import io.brokermeter.reports.Verdict;
import io.brokermeter.reports.picture.ChartPicture;

/**
 * The outcome of a run or a sweep in one sentence, with the reasons below.
 *
 * @param verdict kind of the outcome
 * @param sentence the result
 * @param reasons what went wrong and what casts doubt on the figures, one sentence each
 */
record Conclusion(Verdict verdict, String sentence, List<String> reasons) {

    Conclusion {
        reasons = List.copyOf(reasons);
    }

    Markup markup() {
        Markup m = new Markup().open("p", "id", "verdict", "class", "verdict " + verdict.name().toLowerCase(Locale.ROOT).replace('_', '-'))
            .element("span", verdict.sign(), "class", "sign", "aria-hidden", "true").text(" ").element("b", verdict.title() + ":")
            .text(" " + sentence)
            .close("p").line();
        if (!reasons.isEmpty()) {
            m.open("ul", "id", "reasons");
            reasons.forEach(reason -> m.element("li", sentence(reason)));
            m.close("ul").line();
        }
        return m;
    }

    /** Returns the head of a picture: the outcome with the first of its reasons. */
    ChartPicture picture(String title, String about) {
        return new ChartPicture(title, verdict, sentence, reasons.isEmpty() ? "" : sentence(reasons.getFirst()), about);
    }

    /** Returns a text with a period, and a capital letter unless it begins with the name of a file, or of an agent and a colon. */
    private static String sentence(String text) {
        String first = text.split(" ", 2)[0];
        String begun = first.isEmpty() || first.indexOf('.') > 0 || first.endsWith(":") ? text
            : Character.toUpperCase(text.charAt(0)) + text.substring(1);
        return begun.isEmpty() || ".!?".indexOf(begun.charAt(begun.length() - 1)) >= 0 ? begun : begun + ".";
    }
}
