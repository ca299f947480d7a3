/** A question that the script in the head of the page asked before the app was there. */
interface EarlyAnswer {
  /** Whole address. */
  url: string;
  /** The running request; rejects when the network fails. */
  answer: Promise<Response>;
  /** Ends the request. */
  stop: AbortController;
}

/**
 * The answer to a question that public/page-facts.js has asked already. It is given once: who asks again wants to know
 * what is so by then.
 * @param url    whole address
 * @param signal aborts the request, like the signal of `fetch`
 * @returns undefined for a request that was not begun early
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
