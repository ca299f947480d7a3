/** Name of the service in the browser's local storage. */
const key = "tracing.service";

/** The service searched last in this browser, so that the page opens where its user works. */
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
    // Storage refused: the next visit starts with the first service.
  }
}
