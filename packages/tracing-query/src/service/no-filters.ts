/** Error text for a search with a structured filter. @param name name of the field */
export function noFilters(name: string): string {
  return `${name} is not supported: ask with attributes, or with TraceQL at /tempo/api/search`;
}
