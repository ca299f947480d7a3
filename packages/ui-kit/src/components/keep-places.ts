import { type ElementName, PlaceMemory, type Places } from "./place-memory.ts";

/** The part of a router's history that this module uses. */
interface AppHistory {
  /** The current entry. The router gives each history entry its own key. */
  readonly location: { readonly state: { readonly __TSR_key?: string } };
  /** Calls back after each navigation. `type` is PUSH, REPLACE, BACK, FORWARD or GO. */
  subscribe(listener: (change: { action: { type: string } }) => void): unknown;
}

/** Key in the tab's session storage, where places survive a reload. */
const storedAs = "places";
/**
 * Milliseconds until a scroll position is read. Each read makes the browser lay out the page, which would cost every
 * frame of a scroll.
 */
const readAfterMs = 150;
/** Longest wait for a list, in milliseconds from the step back. */
const mostWaitMs = 20_000;
/** Number of frames in which a restored place must stay unchanged: an answer from the cache is often drawn twice. */
const calmFrames = 20;

/**
 * After a step back or forward, or a reload, restores the scroll position of each box and the focus. It
 * waits for lists that load from the server, and stops at the reader's first action.
 * @param history history of the router, whose entries have different keys
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

  const moved = new MovedBoxes((box) => memory.scrolled(key, nameOf(box), box.scrollTop, box.scrollLeft));

  window.history.scrollRestoration = "manual";
  history.subscribe(({ action }) => {
    moved.read();
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
      // Boxes that are still shorter than before scroll by themselves.
      if (box !== null && restoring?.isAtWork !== true) {
        moved.add(box);
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
    moved.read();
    try {
      sessionStorage.setItem(storedAs, memory.toText());
    } catch {
      // In a browser without storage, places are lost with the page.
    }
  });
  restore();
}

/** Boxes that scrolled since their position was last read. */
class MovedBoxes {
  readonly #read: (box: Element) => void;
  readonly #boxes = new Set<Element>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param read called with each box some time after it scrolled */
  constructor(read: (box: Element) => void) {
    this.#read = read;
  }

  add(box: Element): void {
    this.#boxes.add(box);
    this.#timer ??= setTimeout(() => this.read(), readAfterMs);
  }

  /** Reads all boxes at once. A box that has left the page is at its top, so it is not read. */
  read(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const box of this.#boxes) {
      if (box.isConnected) {
        this.#read(box);
      }
    }
    this.#boxes.clear();
  }
}

/** Restores boxes and the focus, each as soon as the element exists and is long enough. */
class Restoring {
  /** A copy of the stored places, so that scrolling during the restoring does not change the goal. */
  readonly #places: Places;
  /** Timeout for a page that never becomes as long as before. */
  readonly #timer = setTimeout(() => this.stop(), mostWaitMs);
  /** Number of consecutive frames in which all boxes had their stored position. */
  #calm = 0;
  /** True after the focus was restored, which happens only once. */
  #focused = false;
  /** False after `stop`; from then on scrolling and focus are stored again. */
  isAtWork = true;

  constructor(places: Places) {
    this.#places = places;
    requestAnimationFrame(() => this.#step());
  }

  /** Ends the restoring: the reader acted, the places are stable, or the time is over. */
  stop(): void {
    this.isAtWork = false;
    clearTimeout(this.#timer);
  }

  /** One frame: restores the missing places, and ends when all places were stable for `calmFrames` frames. */
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

  /** Restores the focus once, unless the page has set the focus itself. @returns true when no further try is needed */
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

/** Scrolls a box back. @returns true when the box has its stored position */
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

/**
 * Name of an element that is the same each time the page is drawn: its id, the target of a link, or its first class.
 */
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
