/** Topics by which threads that serve share what belongs to sessions of clients. */
export const sessionTopics = {
  /** {@link KeysRequest}: keys that seal and open; `SessionKeys`. */
  keys: "sessions.keys",
  /** Name of a work that only one may do, such as the use of a refresh token; `WorkAnswer`. */
  askWork: "sessions.ask_work",
  /** {@link WorkResult}: the result of the work. */
  settleWork: "sessions.settle_work",
} as const;

export interface KeysRequest {
  /** Use of the keys; keys of one use open nothing of another. */
  readonly purpose: string;
  /** Id of a key that is missed; "" for none. */
  readonly wanted: string;
}

export interface WorkResult {
  /** Key of the shared work. */
  readonly key: string;
  /** Result for all threads; undefined when the work failed. */
  readonly result: string | undefined;
}
