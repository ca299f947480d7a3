/**
 * Maximum number of bytes of the rows of one request; a request with more is refused. The limit is needed because each
 * span repeats its resource.
 */
export const maxRowsBytes = 64 * 1024 * 1024;

/** Size limit of an HTTP body in bytes, before and after decompression; equal to Jaeger's. */
export const maxBodyBytes = 20 * 1024 * 1024;

/** Maximum number of bytes of all running requests together, over all protocols and listeners. */
export const maxUnfinishedBytes = 256 * 1024 * 1024;
