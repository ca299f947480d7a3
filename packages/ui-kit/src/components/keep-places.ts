import { type ElementName, PlaceMemory, type Places } from "./place-memory.ts";

/** The part of a router's history that is read. */
interface AppHistory {
  /** The current entry; the router gives each entry of the history a key of its own. */
  readonly location: { readonly state: { readonly __TSR_key?: string } };
  /** Calls back after each navigation. `type` is PUSH, REPLACE, BACK, FORWARD or GO. */
  subscribe(listener: (change: { action: { type: string } }) => void): unknown;
}

/** Where the memory is kept for a reload of the page, in the tab's own storage. */
const storedAs = "places";
/** How long a list may take to come, in milliseconds from the step back. */
const mostWaitMs = 20_000;
/** Frames for which a restored place must hold: an answer from the cache is often drawn again once. */
const calmFrames = 20;

/**
 * Brings readers who step back or forward, or reload, to where they were: each scrolled box and the focus. It
 * waits for lists that load from the server, and stops as soon as the reader does something.
 * @param history of the router; its entries are told apart by their keys
 */
export function keepPlaces(history: AppHistory): void {
  const keyNow = () => history.location.state.__TSR_key ?? "";
  const memory = new PlaceMemory(stored());
  let key = keyNow();
  let restoring: Restoring | undefined;
  const restore = () => {
    restoring?.stop();
    const places = memory.of(key);
    restoring = places === undefined ? undefined : new Restoring(structuredClone(places));
  };

  window.history.scrollRestoration = "manual";
  history.subscribe(({ action }) => {
    const before = key;
    key = keyNow();
    if (action.type === "REPLACE") {
      memory.renamed(before, key);
    } else if (action.type === "PUSH") {
      restoring?.stop();
    } else {
      restore();
    }
  });
  document.addEventListener(
    "scroll",
    ({ target }) => {
      const box = target instanceof Element ? target : document.scrollingElement;
      // Boxes that are not yet as long as they were move by themselves.
      if (box !== null && restoring?.isAtWork !== true) {
        memory.scrolled(key, nameOf(box), box.scrollTop, box.scrollLeft);
      }
    },
    { capture: true, passive: true },
  );
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof Element && restoring?.isAtWork !== true) {
      memory.focused(key, nameOf(target));
    }
  });
  for (const act of ["wheel", "touchstart", "pointerdown", "keydown"]) {
    document.addEventListener(act, () => restoring?.stop(), { capture: true, passive: true });
  }
  window.addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem(storedAs, memory.toText());
    } catch {
      // A browser without storage forgets the places with the page.
    }
  });
  restore();
}

/** Puts boxes and the focus back, each as soon as it is there and long enough. */
class Restoring {
  /** A copy of what was remembered, so that scrolling meanwhile does not change the goal. */
  readonly #places: Places;
  /** Gives up when the page never becomes as long as it was. */
  readonly #timer = setTimeout(() => this.stop(), mostWaitMs);
  /** Consecutive frames in which all boxes stood where they were. */
  #calm = 0;
  /** Whether the focus was given back; it is done once. */
  #focused = false;
  /** False after `stop`; then scrolling and focus are remembered again. */
  isAtWork = true;

  constructor(places: Places) {
    this.#places = places;
    requestAnimationFrame(() => this.#step());
  }

  /** Ends the restoring: the reader acted, the places hold, or the time is over. */
  stop(): void {
    this.isAtWork = false;
    clearTimeout(this.#timer);
  }

  /** One frame: sets what is not in place yet, and ends once everything held for `calmFrames` frames. */
  #step(): void {
    if (!this.isAtWork) {
      return;
    }
    const scrolled = this.#places.scrolls.map(scrollBack);
    const isThere = scrolled.every(Boolean) && this.#focusBack();
    this.#calm = isThere ? this.#calm + 1 : 0;
    if (this.#calm >= calmFrames) {
      this.stop();
    } else {
      requestAnimationFrame(() => this.#step());
    }
  }

  /** Gives the focus back once, unless the page has put it somewhere itself. @returns whether that is settled */
  #focusBack(): boolean {
    if (this.#focused || this.#places.focus === undefined || document.activeElement !== document.body) {
      return true;
    }
    const element = find(this.#places.focus);
    if (element instanceof HTMLElement || element instanceof SVGElement) {
      element.focus({ preventScroll: true });
      this.#focused = true;
    }
    return this.#focused;
  }
}

/** @returns whether the box is where it was */
function scrollBack({ box, top, left }: Places["scrolls"][number]): boolean {
  const element = find(box);
  if (element === undefined) {
    return false;
  }
  const room = element.scrollHeight - element.clientHeight;
  if (Math.abs(element.scrollTop - top) > 1 && room >= top - 1) {
    element.scrollTop = top;
  }
  if (Math.abs(element.scrollLeft - left) > 1) {
    element.scrollLeft = left;
  }
  return Math.abs(element.scrollTop - top) <= 1;
}

/** Names what a page draws the same way each time: its id, the target of a link, or the first of its classes. */
function nameOf(element: Element): ElementName {
  const selector = selectorOf(element);
  return { selector, nth: [...document.querySelectorAll(selector)].indexOf(element) };
}

/** @returns `#id`, `[href="…"]`, or the tag with its first class: `div.trace-list` */
function selectorOf(element: Element): string {
  if (element.id !== "") {
    return `#${CSS.escape(element.id)}`;
  }
  const href = element.getAttribute("href");
  if (href !== null) {
    return `[href="${CSS.escape(href)}"]`;
  }
  const [first] = element.classList;
  return element.localName + (first === undefined ? "" : `.${CSS.escape(first)}`);
}

function find({ selector, nth }: ElementName): Element | undefined {
  return document.querySelectorAll(selector)[nth];
}

function stored(): string | null {
  try {
    return sessionStorage.getItem(storedAs);
  } catch {
    return null;
  }
}
