/** Most bytes of rows that one request may become: resources are written again for every span of theirs. */
export const maxRowsBytes = 64 * 1024 * 1024;

/** Largest HTTP body, as sent and decompressed; the public model's limit. */
export const maxBodyBytes = 20 * 1024 * 1024;

/** Most bytes of HTTP bodies under way, all requests together. */
export const maxBodiesBytes = 256 * 1024 * 1024;
