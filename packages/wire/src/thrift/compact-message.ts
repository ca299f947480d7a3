/** First byte of every message in the compact protocol. */
export const compactProtocolId = 0x82;
/** Low five bits of the second byte; the type of the message stands above. */
export const compactVersion = 1;
