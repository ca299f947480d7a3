/** First byte of every message in the compact protocol. */
export const compactProtocolId = 0x82;
/** The low five bits of the second byte; the message type is in the upper bits. */
export const compactVersion = 1;
