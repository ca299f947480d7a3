/** Rows of a page of any list: more than a screen holds, and few enough to be drawn every two seconds. */
export const rowsPerPage = 100;

/** The part of a list that is asked for. */
export interface ListAsked {
  /** Text that the entries hold; "" for all. */
  contains: string;
  /** From 1. */
  page: number;
}

/**
 * The parameters that ask the server for a part of a list. Example: page 2 of what holds `a.example` gives
 * `limit=100&contains=a.example&offset=100`.
 * @param more others, such as `order`
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
