/**
 * Reads Java properties as far as options need them: `key=value`, `key: value` or `key value`, comments after
 * `#` or `!`, lines continued by `\`, and the escapes `\t`, `\n`, `\r`, `\f`, `\uXXXX`. Placeholders are not replaced.
 * Source: java.util.Properties.load.
 */
export function parseProperties(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const joined = text.replaceAll("\r\n", "\n").replaceAll(/(?<!\\)((?:\\\\)*)\\\n[ \t\f]*/g, "$1");
  for (const line of joined.split(/[\n\r]/)) {
    const [, key = "", value = ""] =
      /^[ \t\f]*(?![#!])((?:\\.|[^\\=: \t\f])+)[ \t\f]*[=:]?[ \t\f]*(.*)$/.exec(line) ?? [];
    if (key !== "") {
      values[unescaped(key)] = unescaped(value);
    }
  }
  return values;
}

const escapes: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", f: "\f" };

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code: string | undefined, letter = "") =>
    code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
