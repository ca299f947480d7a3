/** Topics by which threads that serve share what belongs to sessions of clients. */
export const sessionTopics = {
  /** {@link KeysRequest}: keys that seal and open; `SessionKeys`. */
  keys: "sessions.keys",
  /** Name of a work that only one may do, such as the use of a refresh token; `WorkAnswer`. */
  askWork: "sessions.ask_work",
  /** {@link WorkResult}: the result of the work. */
  settleWork: "sessions.settle_work",
} as const;

/** A question for the keys of one use. */
export interface KeysRequest {
  /** Use of the keys; keys of one use open nothing of another. */
  readonly purpose: string;
  /** Id of a key that is missed; "" for none. */
  readonly wanted: string;
}

/** The outcome of work that other callers may wait for. */
export interface WorkResult {
  /** Key of the shared work. */
  readonly key: string;
  /** Result for all threads; undefined when the work failed. */
  readonly result: string | undefined;
}
