/** Calls of this function read a placeholder. */
export const placeholderFunction = "ph";

/**
 * Puts a call in place of every `{placeholder}` outside of texts; `\{name}` stays a map.
 * @returns the expression in plain CEL
 */
export function expandPlaceholders(expression: string): string {
  const strings = /[rRbB]{0,2}(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/;
  const pattern = new RegExp(`(${strings.source})|\\\\\\{|\\{([a-zA-Z][\\w.-]+)\\}`, "g");
  return expression.replace(pattern, (whole, text?: string, name?: string) => {
    if (text !== undefined) {
      return whole;
    }
    return name === undefined ? "{" : `${placeholderFunction}(${JSON.stringify(name)})`;
  });
}
