/** The text between a prefix and a suffix; undefined when the text does not start and end with them. */
export function between(text: string, prefix: string, suffix: string): string | undefined {
  return text.startsWith(prefix) && text.endsWith(suffix) && text.length >= prefix.length + suffix.length
    ? text.slice(prefix.length, text.length - suffix.length)
    : undefined;
}
