/** Function that reads a placeholder. */
export const placeholderFunction = "ph";

/** Functions that convert the text of placeholders with timestamps or durations. */
const conversions: Readonly<Record<string, string>> = {
  "time.now": "timestamp",
  "http.request.duration": "duration",
};

/** Writes the call that reads a placeholder. */
function callOf(name: string): string {
  const call = `${placeholderFunction}(${JSON.stringify(name)})`;
  const conversion = Object.hasOwn(conversions, name) ? conversions[name] : undefined;
  return conversion === undefined ? call : `dyn(${conversion}(${call}))`;
}

/**
 * Replaces every `{placeholder}` outside of texts by a call; `\{name}` stays a map. `{http.request.host} == "a{b}"`
 * becomes `ph("http.request.host") == "a{b}"`.
 * @returns the expression in plain CEL
 */
export function expandPlaceholders(expression: string): string {
  const strings = /[rRbB]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/;
  const pattern = new RegExp(`(${strings.source})|\\\\\\{|\\{([a-zA-Z][\\w.-]+)\\}`, "g");
  return expression.replace(pattern, (whole, text?: string, name?: string) => {
    if (text !== undefined) {
      return whole;
    }
    return name === undefined ? "{" : callOf(name);
  });
}
