import { useSyncExternalStore } from "react";

/** A choice among a few words. The browser stores the choice, and all components share it. */
export interface StoredChoice<T extends string> {
  /** The current word. */
  get(): T;
  /** Stores a word, and notifies all subscribers before it returns. */
  set(value: T): void;
  /** Sets a word for this page only: nothing is stored, and other tabs do not change it. */
  hold(value: T): void;
  /** Calls `listener` after each change, also after a change in another tab. @returns a function that unsubscribes */
  subscribe(listener: () => void): () => void;
}

/**
 * Opens a stored choice. If the browser refuses storage (private windows), the choice lasts as long as the page.
 * @param values all words, the default first; any other stored text counts as the default
 */
export function storedChoice<const T extends string>(
  key: string,
  values: readonly [T, ...T[]],
): StoredChoice<T> {
  const listeners = new Set<() => void>();
  let current = known(read(key), values);
  let isHeld = false;
  window.addEventListener("storage", (event) => {
    if (event.key !== key || isHeld) {
      return;
    }
    current = known(event.newValue, values);
    for (const listener of listeners) {
      listener();
    }
  });
  return {
    get: () => current,
    set(value) {
      current = value;
      try {
        localStorage.setItem(key, value);
      } catch {
        // Storage was refused: the choice lasts as long as the page.
      }
      for (const listener of listeners) {
        listener();
      }
    },
    hold(value) {
      isHeld = true;
      current = value;
      for (const listener of listeners) {
        listener();
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The current value of a choice. The component renders again after each change. */
export function useChoice<T extends string>(choice: StoredChoice<T>): T {
  return useSyncExternalStore(choice.subscribe, choice.get);
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function known<T extends string>(value: string | null, values: readonly [T, ...T[]]): T {
  return values.find((item) => item === value) ?? values[0];
}
