/** Names an element of a page that is drawn again: a selector, and which one of its matches. */
export interface ElementName {
  /** A CSS selector that finds the element on the page drawn again. */
  selector: string;
  /** Which match of the selector, from 0. */
  nth: number;
}

/** Where a reader was on one entry of the browser's history. */
export interface Places {
  /** Pixels that each scrolled box had moved, by selector and number. */
  scrolls: { box: ElementName; top: number; left: number }[];
  /** The element that had the focus last. */
  focus?: ElementName;
}

/** History entries that are remembered; the oldest is forgotten first. */
const mostEntries = 50;

/** The places where readers were, by the key of the history entry. Survives a reload when its text is kept. */
export class PlaceMemory {
  readonly #entries: Map<string, Places>;

  /** @param text what `toText` gave before; a text that cannot be read counts as empty */
  constructor(text?: string | null) {
    this.#entries = new Map(readEntries(text));
  }

  /** The places of an entry; undefined when nothing was scrolled or focused there. */
  of(key: string): Places | undefined {
    return this.#entries.get(key);
  }

  /** Notes how far a box is scrolled. */
  scrolled(key: string, box: ElementName, top: number, left: number): void {
    const places = this.#placesOf(key);
    const others = places.scrolls.filter(
      ({ box: { selector, nth } }) => selector !== box.selector || nth !== box.nth,
    );
    places.scrolls = [...others, { box, top, left }];
  }

  /** Notes which element has the focus. */
  focused(key: string, focus: ElementName): void {
    this.#placesOf(key).focus = focus;
  }

  /** The entry got another key: the app replaced its address. */
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

  /** The places of an entry, created when missing. Creating one may forget the oldest entry. */
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

/** @returns entries of a stored text, without those of another shape; none for a text that is no JSON */
function readEntries(text: string | null | undefined): [string, Places][] {
  try {
    const entries: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(entries) ? entries.filter((entry) => Array.isArray(entry?.[1]?.scrolls)) : [];
  } catch {
    return [];
  }
}
