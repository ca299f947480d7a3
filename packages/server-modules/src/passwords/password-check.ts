export interface PasswordCheck {
  readonly algorithm: "bcrypt" | "argon2id";
  /** Hash with its salt and cost, as in the config. */
  readonly hash: string;
  /** Password of the request. It is never logged. */
  readonly password: string;
}

/** Message topics for password checks by the main thread. */
export const passwordTopics = {
  /** {@link CheckRequest}: returns true for the right password. */
  check: "passwords.check",
  /** {@link CheckId}: cancels a check. */
  drop: "passwords.drop",
} as const;

/** Identifies one check over all threads. */
export interface CheckId {
  /** Thread that sent the check. */
  readonly thread: number;
  /** Id of the check, unique within that thread. */
  readonly id: number;
}

/** A check as a thread sends it to the main thread. */
export interface CheckRequest extends CheckId {
  readonly check: PasswordCheck;
  /** Address of the client, to share the threads fairly between clients. */
  readonly client: string;
  /** True when a positive result may be cached. */
  readonly remember: boolean;
}
