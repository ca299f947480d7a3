/** First byte of every message in the compact protocol. */
export const compactProtocolId = 0x82;
/** The low five bits of the second byte; its upper bits are the type of the message. */
export const compactVersion = 1;
