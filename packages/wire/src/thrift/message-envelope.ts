/** What stands before the arguments of a call, in either protocol. */
export interface MessageEnvelope {
  readonly method: string;
  readonly type: number;
  /** Where the struct of arguments begins. */
  readonly end: number;
}

/** Kinds of messages, in both protocols. */
export const messageTypes = { call: 1, reply: 2, exception: 3, oneway: 4 } as const;
