/** Encoding of a message: compact on ports 5775 and 6831, binary on 6832. */
export type ThriftProtocol = "compact" | "binary";

/** Kinds of messages, in both protocols. */
export const messageTypes = { call: 1, reply: 2, exception: 3, oneway: 4 } as const;

/** The high half of a binary message's first number, in the strict form. */
export const strictVersion = 0x8001;
