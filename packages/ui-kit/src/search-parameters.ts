/** The fields of an address's search part as plain texts, without the router's default JSON quoting. */
export function addressFields(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

/** The search part of an address, with its `?`. Empty fields are left out; without fields the result is "". */
export function addressText(fields: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined && value !== "") {
      parameters.set(key, String(value));
    }
  }
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

/**
 * The router settings of both apps: addresses below the page's `<base>`, plain search parameters, no
 * prefetching.
 */
export function routerSettings() {
  return {
    basepath: basePath(),
    parseSearch: addressFields,
    stringifySearch: addressText,
    defaultPreload: false,
    scrollRestoration: false,
  } as const;
}

/** The path below which the app lives, without a slash at the end: `` or `/tracing/ui`. */
export function basePath(): string {
  return new URL(document.baseURI).pathname.replace(/\/+$/, "");
}
