/** Message topics through which threads share session data. */
export const sessionTopics = {
  /** {@link KeysRequest}: returns the keys, `SessionKeys`. */
  keys: "sessions.keys",
  /** Key of work that only one thread may do, such as the use of a refresh token; returns `WorkAnswer`. */
  askWork: "sessions.ask_work",
  /** {@link WorkResult}: publishes the result of the work. */
  settleWork: "sessions.settle_work",
} as const;

/** A request for the keys of one purpose. */
export interface KeysRequest {
  /** Purpose of the keys; keys of one purpose cannot decrypt values of another. */
  readonly purpose: string;
  /** Id of an unknown key that the thread needs; "" for none. */
  readonly wanted: string;
}

/** The result of work that other callers may wait for. */
export interface WorkResult {
  readonly key: string;
  /** Result for all threads; undefined when the work failed. */
  readonly result: string | undefined;
}
