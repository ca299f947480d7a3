import * as z from "zod/mini";

const text = z.string();
const texts = z.union([z.string(), z.array(z.string())]);

/** A place where links may appear. Jaeger's UI has two names for each list of attributes, an old and a new one. */
const linkPlace = z.enum(["tags", "attributes", "process", "resource", "logs", "events", "traces"]);
const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** A link template for values of spans or traces; see `link-patterns.ts`. */
const linkPattern = z.object({
  /** Attributes of spans or of their resource, fields of events, or the trace itself. Absent: all of them. */
  type: z.optional(z.union([linkPlace, z.array(linkPlace)])),
  /** Attribute keys that get the link. Absent: all. Ignored for `traces`. */
  key: z.optional(texts),
  /** Attribute values that get the link. Absent: all. */
  value: z.optional(z.union([scalar, z.array(scalar)])),
  /** Address of the link, with `#{name}` for values. */
  url: text,
  /** Text of the link. */
  text,
});

/** A link of the menu. `anchorTarget` is the window that opens; a new window by default. */
const menuLink = z.object({ label: text, url: text, anchorTarget: z.optional(text) });
/** A link, or a list of links under a label. */
const menuEntry = z.union([menuLink, z.object({ label: text, items: z.array(menuLink) })]);

/** An entry of the menu: a link, or a named list of links. */
export type MenuEntry = z.infer<typeof menuEntry>;

const inBar = z.catch(z.object({ menuEnabled: z.catch(z.boolean(), true) }), { menuEnabled: true });

/** The configuration. An unreadable part counts as absent, because the page works without it. */
const config = z.object({
  linkPatterns: z.catch(listOf(linkPattern), []),
  menu: z.catch(listOf(menuEntry), []),
  /** `menuEnabled: false` takes the page Dependencies out of the bar. */
  dependencies: inBar,
  /** `menuEnabled: false` takes the page Services out of the bar. */
  monitor: inBar,
  /** `enabled: false`: no choice of a theme; the page follows the system. */
  themes: z.catch(z.object({ enabled: z.catch(z.boolean(), true) }), { enabled: true }),
  /** False: traces have no critical path. */
  criticalPathEnabled: z.catch(z.boolean(), true),
  /**
   * Settings of the search form: the first `lookback`, the longest offered `lookback` such as `2d`, and the maximum
   * number of traces.
   */
  search: z.catch(
    z.object({
      defaultLookback: z.catch(z.optional(text), undefined),
      /**
       * Length of time such as `1m`. A `lookback` ends this long before now, because the newest traces are still
       * incomplete.
       */
      adjustEndTime: z.catch(z.optional(text), undefined),
      maxLookback: z.catch(z.optional(z.object({ value: text })), undefined),
      maxLimit: z.catch(z.optional(z.number().check(z.int(), z.minimum(1))), undefined),
    }),
    {},
  ),
  /** True when traces can be archived. Absent: the store decides. */
  archiveEnabled: z.catch(z.optional(z.boolean()), undefined),
  /** Key prefixes. Attributes with these prefixes are shown above the others, in the order of this list. */
  topTagPrefixes: z.catch(z.array(text), []),
  /** True: links to other sites open in this window. */
  forbidNewPage: z.catch(z.boolean(), false),
  /** True: the search page opens no files. */
  disableFileUploadControl: z.catch(z.boolean(), false),
  /** True: traces offer no view of their JSON. */
  disableJsonView: z.catch(z.boolean(), false),
});

/** The settings of `--query.ui-config`, with the names of Jaeger's UI. Unknown settings are ignored. */
export type UiConfig = z.infer<typeof config>;

/** A list that keeps the readable entries. Each unreadable entry is dropped on its own. */
function listOf<T extends z.ZodMiniType>(entry: T) {
  return z.pipe(
    z.array(z.unknown()),
    z.transform((entries: unknown[]) =>
      entries.flatMap((one): z.output<T>[] => {
        const read = z.safeParse(entry, one);
        return read.success ? [read.data as z.output<T>] : [];
      }),
    ),
  );
}

/**
 * Parses the settings. Each wrong part falls back to its own default, so that one mistake does not lose
 * the other parts.
 * @param written content of the file; null or undefined without a file
 */
export function readUiConfig(written: unknown): UiConfig {
  const read = config.safeParse(written ?? {});
  return read.success ? read.data : config.parse({});
}

/** The configuration that the query service wrote into the page. */
export const uiConfig: UiConfig = readUiConfig(
  (Reflect.get(globalThis, "tracingPage") as { config?: unknown } | undefined)?.config,
);

/** Target of links to other sites: a new window, or undefined where the configuration forbids one. */
export const newWindow = uiConfig.forbidNewPage ? undefined : "_blank";

/**
 * Sorts attributes: keys with a prefix of the list come first, in the order of the prefixes. Otherwise the order
 * stays.
 */
export function topFirst<T extends { readonly key: string }>(
  attributes: readonly T[],
  prefixes: readonly string[] = uiConfig.topTagPrefixes,
): readonly T[] {
  if (prefixes.length === 0) {
    return attributes;
  }
  const rank = ({ key }: T) => {
    const found = prefixes.findIndex((prefix) => key.startsWith(prefix));
    return found < 0 ? prefixes.length : found;
  };
  return attributes.toSorted((a, b) => rank(a) - rank(b));
}
