import type { ModuleInstance, ModuleNamespace } from "../module-instance.ts";

/**
 * Where certificates, keys and authorities rest, shared by every instance of the server that names the same place. Keys
 * are paths with `/`, such as `pki/authorities/local/root.crt`.
 */
export interface Storage extends ModuleInstance {
  /** Writes a value, whole or not at all. @throws ServerError STORAGE */
  store(key: string, value: Uint8Array | string): Promise<void>;
  /** @param maxBytes of a value that is not to be trusted. @returns undefined when there is none. @throws ServerError STORAGE, also when it is longer */
  load(key: string, maxBytes?: number): Promise<Buffer | undefined>;
  /** Removes a value, or all below a key. One that is not there is no error. @throws ServerError STORAGE */
  delete(key: string): Promise<void>;
  /** Keys of all values below a prefix, at any depth, sorted. @throws ServerError STORAGE */
  list(prefix: string): Promise<string[]>;
  /**
   * Waits for the right to do something alone, over all instances. That of an instance which died is taken over.
   * @returns gives it back
   * @throws ServerError STORAGE, also when `signal` ends the wait
   */
  lock(name: string, signal?: AbortSignal): Promise<() => Promise<void>>;
}

export const storages: ModuleNamespace<Storage> = { prefix: "storage" };

/** The storage of a config that names none. */
export const defaultStorage = "file_system";
