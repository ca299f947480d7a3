/** A request that the script in the page's head sent before the app was loaded. */
interface EarlyAnswer {
  /** Full URL. */
  url: string;
  /** The running request; rejects when the network fails. */
  answer: Promise<Response>;
  /** Aborts the request. */
  stop: AbortController;
}

/**
 * The answer to a request that public/page-facts.js has already sent. It is returned only once, because a later request
 * needs current data.
 * @param url full URL
 * @param signal aborts the request, like the signal of `fetch`
 * @returns undefined for a request that was not sent early
 */
export function takeEarlyAnswer(url: string, signal: AbortSignal): Promise<Response> | undefined {
  const page: unknown = Reflect.get(globalThis, "tracingPage");
  const asked = (page as { asked?: EarlyAnswer[] } | undefined)?.asked;
  const at = asked?.findIndex((one) => one.url === url) ?? -1;
  const [early] = at === -1 ? [] : (asked?.splice(at, 1) ?? []);
  if (early === undefined) {
    return undefined;
  }
  const stop = () => early.stop.abort(signal.reason);
  if (signal.aborted) {
    stop();
  } else {
    signal.addEventListener("abort", stop, { once: true });
  }
  return early.answer;
}
