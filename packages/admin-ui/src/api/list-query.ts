/** Rows per page of any list: more than a screen shows, and few enough to draw every two seconds. */
export const rowsPerPage = 100;

/** A page of a list. */
export interface ListAsked {
  /** Text that the entries must contain; "" for all. */
  contains: string;
  /** Page number, from 1. */
  page: number;
}

/**
 * URL parameters for a page of a list. Example: page 2 of entries with `a.example` gives
 * `limit=100&contains=a.example&offset=100`.
 * @param more further parameters, such as `order`
 */
export function listParameters(
  { contains, page }: ListAsked,
  more: Readonly<Record<string, string>> = {},
): URLSearchParams {
  const parameters = new URLSearchParams({ ...more, limit: String(rowsPerPage) });
  if (contains !== "") {
    parameters.set("contains", contains);
  }
  if (page > 1) {
    parameters.set("offset", String((page - 1) * rowsPerPage));
  }
  return parameters;
}
