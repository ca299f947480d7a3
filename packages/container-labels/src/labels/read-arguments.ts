/**
 * The words of a label's value, separated by white space. A word with white space is in double quotes or backticks. In
 * double quotes `\"` is a quote; elsewhere a backslash is an ordinary character. A `#` in front of a word begins a
 * comment. Source: the plug-in caddy-docker-proxy
 */
export function readArguments(value: string): string[] {
  const words: string[] = [];
  const text = value.replace(/^\u{feff}/u, "");
  let at = 0;
  while (at < text.length) {
    const char = text[at] as string;
    if (/\s/.test(char)) {
      at++;
    } else if (char === "\\" && /^\\\r?\n/.test(text.slice(at, at + 3))) {
      // A backslash at the end of a line continues the statement on the next line.
      at++;
    } else if (char === "#") {
      const end = text.indexOf("\n", at);
      at = end === -1 ? text.length : end;
    } else if (char === "`") {
      const end = text.indexOf("`", at + 1);
      words.push(text.slice(at + 1, end === -1 ? text.length : end));
      at = end === -1 ? text.length : end + 1;
    } else if (char === '"') {
      const [whole, inner = ""] = /^"((?:\\[\s\S]|[^"\\])*)(?:"|$|\\$)/.exec(text.slice(at)) ?? [
        text.slice(at),
      ];
      words.push(inner.replaceAll('\\"', '"'));
      at += whole.length;
    } else {
      const [word = ""] = /^\S+/.exec(text.slice(at)) ?? [];
      const isContinued =
        word.endsWith("\\") && /^\r?\n/.test(text.slice(at + word.length, at + word.length + 2));
      words.push(isContinued ? word.slice(0, -1) : word);
      at += word.length;
    }
  }
  return words;
}
