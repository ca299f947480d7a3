/** Key of the service in the browser's local storage. */
const key = "tracing.service";

/** Reads the service of the last search in this browser. The search page opens with it. */
export function lastService(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Remembers the service for the next visit. */
export function rememberService(service: string): void {
  try {
    localStorage.setItem(key, service);
  } catch {
    // The browser refused storage: the next visit starts with the first service.
  }
}
