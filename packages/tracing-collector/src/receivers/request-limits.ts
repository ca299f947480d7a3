/** Most bytes of rows that one request may become: resources are written again for every span of theirs. */
export const maxRowsBytes = 64 * 1024 * 1024;

/** Largest HTTP body, as sent and decompressed; the public model's limit. */
export const maxBodyBytes = 20 * 1024 * 1024;

/** Most bytes of requests under way, over every protocol and on all listeners together. */
export const maxUnfinishedBytes = 256 * 1024 * 1024;
