/** The worker threads of the web server die, while long-lived connections are in use. */
export interface ThreadCase {
  /** Name of the form `threads/what`. */
  readonly name: string;
  /** One sentence that describes the case. */
  readonly meaning: string;
  /** True: the case is part of the short form. */
  readonly isShort?: boolean;
  /** Number of threads that die, one after the other; three in the short form. */
  readonly deaths: number;
  /** True: all threads die together each time, so that no thread is left. */
  readonly isTogether?: boolean;
  /** True: the configuration is loaded repeatedly meanwhile. */
  readonly reloads?: boolean;
  /** Milliseconds that the upstream needs for an answer (default 0). */
  readonly upstreamMs?: number;
}

export const threadCases: readonly ThreadCase[] = [
  {
    name: "threads/one-by-one",
    meaning: "a worker thread dies at a random moment, again and again",
    deaths: 30,
  },
  {
    name: "threads/reloads",
    meaning: "the same, and the configuration is loaded all the time",
    isShort: true,
    deaths: 30,
    reloads: true,
  },
  {
    name: "threads/slow-upstreams",
    meaning: "the same, with an upstream that takes 400 ms for an answer",
    isShort: true,
    deaths: 30,
    reloads: true,
    upstreamMs: 400,
  },
  {
    name: "threads/together",
    meaning: "all worker threads die at once",
    isShort: true,
    deaths: 10,
    isTogether: true,
    reloads: true,
  },
];
