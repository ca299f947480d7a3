/** Identifies an element after the page is drawn again: a selector, and the index of the match. */
export interface ElementName {
  /** A CSS selector that finds the element after the page is drawn again. */
  selector: string;
  /** Index of the selector's match, from 0. */
  nth: number;
}

/** Scroll positions and focus on one entry of the browser's history. */
export interface Places {
  /** Scroll offset of each box in pixels. */
  scrolls: { box: ElementName; top: number; left: number }[];
  /** The last element that had the focus. */
  focus?: ElementName;
}

/** Maximum number of stored history entries; the oldest is removed first. */
const mostEntries = 50;

/** Scroll positions and focus, by the key of the history entry. Survives a reload if the text of `toText` is stored. */
export class PlaceMemory {
  readonly #entries: Map<string, Places>;

  /** @param text an earlier result of `toText`; a text that cannot be parsed counts as empty */
  constructor(text?: string | null) {
    this.#entries = new Map(readEntries(text));
  }

  /** The places of an entry; undefined when no box was scrolled and no element focused on the entry. */
  of(key: string): Places | undefined {
    return this.#entries.get(key);
  }

  /** Stores the scroll position of a box. */
  scrolled(key: string, box: ElementName, top: number, left: number): void {
    const places = this.#placesOf(key);
    const others = places.scrolls.filter(
      ({ box: { selector, nth } }) => selector !== box.selector || nth !== box.nth,
    );
    places.scrolls = [...others, { box, top, left }];
  }

  /** Stores the element that has the focus. */
  focused(key: string, focus: ElementName): void {
    this.#placesOf(key).focus = focus;
  }

  /** Moves the places of an entry to a new key, after the app replaced its address. */
  renamed(from: string, to: string): void {
    const places = this.#entries.get(from);
    if (places !== undefined) {
      this.#entries.delete(from);
      this.#entries.set(to, places);
    }
  }

  /** A text for the constructor. */
  toText(): string {
    return JSON.stringify([...this.#entries]);
  }

  /** The places of an entry; creates missing places. Then the oldest entry may be removed. */
  #placesOf(key: string): Places {
    let places = this.#entries.get(key);
    if (places === undefined) {
      places = { scrolls: [] };
      this.#entries.set(key, places);
      const [oldest] = this.#entries.keys();
      if (this.#entries.size > mostEntries && oldest !== undefined) {
        this.#entries.delete(oldest);
      }
    }
    return places;
  }
}

/** @returns entries of a stored text, without entries of another shape; empty for a text that is not JSON */
function readEntries(text: string | null | undefined): [string, Places][] {
  try {
    const entries: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(entries) ? entries.filter((entry) => Array.isArray(entry?.[1]?.scrolls)) : [];
  } catch {
    return [];
  }
}
