/** Most bytes of rows for one request. The limit is needed because each span repeats its resource. */
export const maxRowsBytes = 64 * 1024 * 1024;

/** Largest HTTP body, as sent and decompressed; the public model's limit. */
export const maxBodyBytes = 20 * 1024 * 1024;

/** Most bytes of running requests, for all protocols and listeners together. */
export const maxUnfinishedBytes = 256 * 1024 * 1024;
