/** What stands between a text's beginning and its end; undefined when they are others. */
export function between(text: string, prefix: string, suffix: string): string | undefined {
  return text.startsWith(prefix) && text.endsWith(suffix) && text.length >= prefix.length + suffix.length
    ? text.slice(prefix.length, text.length - suffix.length)
    : undefined;
}
