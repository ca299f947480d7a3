/** Topics by which threads that serve share what belongs to sessions of clients. */
export const sessionTopics = {
  /** {@link KeysRequest}: keys that seal and open; `SessionKeys`. */
  keys: "sessions.keys",
  /** Name of a work that only one may do, such as the use of a refresh token; `WorkAnswer`. */
  askWork: "sessions.ask_work",
  /** {@link WorkResult}: what came of it. */
  settleWork: "sessions.settle_work",
} as const;

export interface KeysRequest {
  readonly purpose: string;
  /** Id of a key that is missed; "" for none. */
  readonly wanted: string;
}

export interface WorkResult {
  readonly key: string;
  readonly result: string | undefined;
}
