import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Makes the table of cases: random patterns and texts, and whether java.util.regex finds the one in the other.
 *
 * java Cases.java SEED COUNT [PATTERN TEXT]... prints "pattern, text, true or false or error" a line, separated by tabs.
 */
public class Cases {
    static final List<String> LITERALS = List.of(
        "a", "b", "c", "A", "B", "k", "K", "s", "_", "1", "2", " ", "-", "&", "^", "]", "}", ",", "\u00e9", "\u00c9",
        "\u0130", "\u017f", "\u212a", "\u0301", "\u0661", "\ud835\udc00", "\ud83d\ude00", "\n", "\r", "\u0085", "\u2028", "\u00a0");
    static final List<String> ESCAPES = List.of(
        "\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\h", "\\H", "\\v", "\\V", "\\t", "\\n", "\\r", "\\f", "\\e", "\\a",
        "\\x41", "\\x{1D400}", "\\u0041", "\\u00e9", "\\ud835\\udc00", "\\0101", "\\07", "\\cA", "\\.", "\\\\", "\\-", "\\[", "\\]",
        "\\&", "\\^", "\\$", "\\p{L}", "\\p{Lu}", "\\P{L}", "\\p{IsLatin}", "\\p{Alpha}", "\\p{Punct}", "\\p{Space}", "\\p{IsAlphabetic}",
        "\\pN", "\\p{Blank}", "\\p{Cntrl}", "\\p{Graph}", "\\p{Upper}", "\\p{gc=Nd}", "\\p{LC}", "\\p{Sm}");
    static final List<String> PLACES = List.of("^", "$", "\\A", "\\z", "\\Z", "\\b", "\\B", "\\G");
    static final List<String> FLAGS = List.of("i", "m", "s", "d", "im", "ms", "ds", "dm", "-i", "i-s", "-m");
    static final List<String> ODD = List.of(
        "\\R", "\\Qa.b\\E", "\\Q*\\E", "\\Q", "\\E", "\\X", "\\1", "(?>a)", "(?<=a)", "(?<!a)", "(?<n>a)", "\\k<n>", "\\N{SPACE}",
        "(?x)a b", "(?u)", "\\y", "{", "}", "]", "\\p{InGreek}", "\\p{Nope}", "\\x{110000}", "\\0", "\\ud835", "(?#a)", "\\b{g}");
    static final List<String> QUANTIFIERS =
        List.of("*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,1}", "{2,}", "{0}", "{1,2}?", "*+", "{,2}", "{2}{3}", "**");

    final Random random;

    Cases(long seed) {
        random = new Random(seed);
    }

    String of(List<String> some) {
        return some.get(random.nextInt(some.size()));
    }

    boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    String alternatives(int depth) {
        StringBuilder pattern = new StringBuilder(sequence(depth));
        while (oneIn(4)) {
            pattern.append('|').append(sequence(depth));
        }
        return pattern.toString();
    }

    String sequence(int depth) {
        StringBuilder pattern = new StringBuilder();
        for (int parts = random.nextInt(4); parts >= 0; parts--) {
            pattern.append(part(depth));
            if (oneIn(3)) {
                pattern.append(oneIn(12) ? of(QUANTIFIERS) : QUANTIFIERS.get(random.nextInt(12)));
            }
        }
        return pattern.toString();
    }

    String part(int depth) {
        switch (random.nextInt(depth > 0 ? 16 : 11)) {
            case 0: case 1: case 2: case 3:
                String literal = of(LITERALS);
                return literal.equals("^") ? "\\^" : literal;
            case 4: case 5:
                return of(ESCAPES);
            case 6: case 7:
                return of(PLACES);
            case 8:
                return ".";
            case 9:
                return bracket(2);
            case 10:
                return oneIn(6) ? of(ODD) : "(?" + of(FLAGS) + ")";
            case 11:
                return "(?" + of(FLAGS) + ":" + alternatives(depth - 1) + ")";
            case 12:
                return "(?=" + alternatives(depth - 1) + ")";
            case 13:
                return "(?!" + alternatives(depth - 1) + ")";
            case 14:
                return "(?:" + alternatives(depth - 1) + ")";
            default:
                return "(" + alternatives(depth - 1) + ")";
        }
    }

    String bracket(int depth) {
        StringBuilder pattern = new StringBuilder(oneIn(3) ? "[^" : "[");
        for (int parts = random.nextInt(4); parts >= 0; parts--) {
            pattern.append(partOfBracket(depth));
        }
        while (oneIn(4)) {
            pattern.append("&&");
            for (int parts = oneIn(3) ? random.nextInt(3) : 0; parts >= 0; parts--) {
                pattern.append(partOfBracket(depth));
            }
        }
        return pattern.append(']').toString();
    }

    String partOfBracket(int depth) {
        switch (random.nextInt(9)) {
            case 0: case 1: case 2:
                return of(LITERALS);
            case 3: case 4:
                return of(ESCAPES);
            case 5: case 6:
                return of(List.of("a-z", "A-C", "0-9", "b-\u00e9", "\\x41-\\x43", "a-c", "!-~", "\u00c0-\u00ff", "a-", "-a", "\ud835\udc00-\ud835\udc10", "k-\u212a"));
            case 7:
                return oneIn(4) ? of(List.of("\\Qa-c\\E", "z-a", "\\b", "\\R", "a-\\d", "\\d-z", "&", "a&b", "[", "\\Q]\\E")) : of(LITERALS);
            default:
                return depth > 0 ? bracket(depth - 1) : of(LITERALS);
        }
    }

    String text() {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(6); length > 0; length--) {
            text.append(oneIn(3) ? of(List.of("a", "b", "c", "A", "1", "_", " ")) : of(LITERALS));
        }
        if (oneIn(4)) {
            text.append(of(List.of("\n", "\r\n", "\r", "\u0085", "\u2029", "\n\n", "\n\r")));
        }
        return text.toString();
    }

    static String found(String pattern, String text) {
        try {
            return String.valueOf(Pattern.compile(pattern).matcher(text).find());
        } catch (PatternSyntaxException | StackOverflowError e) {
            return "error";
        } catch (RuntimeException e) {
            return "error";
        }
    }

    static String shown(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (c == '\\') {
                shown.append("\\\\");
            } else if (c < ' ' || c > '~') {
                shown.append(String.format("\\{%x}", c));
            } else {
                shown.appendCodePoint(c);
            }
        });
        return shown.toString();
    }

    static void print(String pattern, String text) {
        System.out.println(shown(pattern) + "\t" + shown(text) + "\t" + found(pattern, text));
    }

    public static void main(String[] args) {
        Cases cases = new Cases(Long.parseLong(args[0]));
        for (int i = 2; i + 1 < args.length; i += 2) {
            print(args[i], args[i + 1]);
        }
        int left = Integer.parseInt(args[1]);
        while (left > 0) {
            String pattern = cases.alternatives(2);
            // An error is the same for every text.
            int texts = found(pattern, "").equals("error") ? 1 : 3;
            for (; texts > 0 && left > 0; texts--, left--) {
                print(pattern, cases.text());
            }
        }
    }
}
