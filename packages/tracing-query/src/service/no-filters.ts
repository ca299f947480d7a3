/** Why a search with a structured filter is refused. @param name of its field */
export function noFilters(name: string): string {
  return `${name} is not supported: ask with attributes, or with TraceQL at /tempo/api/search`;
}
