import type { ModuleInstance, ModuleNamespace } from "../module-instance.ts";

/**
 * Storage of certificates, keys and CAs. Server instances with the same storage config share one storage. Keys are
 * paths with `/`, such as `pki/authorities/local/root.crt`.
 */
export interface Storage extends ModuleInstance {
  /** Writes a value atomically. @throws ServerError STORAGE */
  store(key: string, value: Uint8Array | string): Promise<void>;
  /**
   * @param maxBytes size limit for an untrusted value. @returns undefined when there is no value. @throws ServerError
   * STORAGE, also above the limit
   */
  load(key: string, maxBytes?: number): Promise<Buffer | undefined>;
  /** Removes a value, or all values below a key. A missing value is not an error. @throws ServerError STORAGE */
  delete(key: string): Promise<void>;
  /** Keys of all values below a prefix, at any depth, sorted. @throws ServerError STORAGE */
  list(prefix: string): Promise<string[]>;
  /**
   * Waits for an exclusive lock over all instances. The lock of an instance that died is taken over.
   * @returns a function that releases the lock
   * @throws ServerError STORAGE when the lock fails, or when `signal` ends the wait
   */
  lock(name: string, signal?: AbortSignal): Promise<() => Promise<void>>;
}

export const storages: ModuleNamespace<Storage> = { prefix: "storage" };

/** Storage of a config without a member `storage`. */
export const defaultStorage = "file_system";
