/** A type of CEL. `dyn` is any of them: what only the request tells. */
export interface CelKind {
  /** Name of the type in messages. */
  readonly name: string;
  /** Types of the elements of a list, or of the keys and values of a map. */
  readonly parts?: readonly CelKind[];
}

const named = (name: string): CelKind => ({ name });

/** Any type: known only with the request. */
export const dyn = named("dyn");
export const bool = named("bool");
/** Whole numbers of 64 bits, signed and unsigned. CEL converts between numbers only where it is told to. */
export const int = named("int");
export const uint = named("uint");
export const double = named("double");
export const string = named("string");
export const bytes = named("bytes");
export const nil = named("null_type");
/** A moment, and a span of time, to the nanosecond. */
export const timestamp = named("timestamp");
export const duration = named("duration");
/** The type of a type, as `type(1) == int` compares. */
export const type = named("type");
/** A list of one type. */
export const list = (of: CelKind): CelKind => ({ name: "list", parts: [of] });
/** A map with keys of one type and values of one type. */
export const map = (key: CelKind, value: CelKind): CelKind => ({ name: "map", parts: [key, value] });

/** The name of a type as in the model: `list(string)`. */
export function kindText({ name, parts }: CelKind): string {
  return parts === undefined ? name : `${name}(${parts.map(kindText).join(", ")})`;
}

/** True when a value of type `a` can have type `b`. */
export function fits(a: CelKind, b: CelKind): boolean {
  if (a.name === "dyn" || b.name === "dyn") {
    return true;
  }
  return (
    a.name === b.name &&
    (a.parts ?? []).every((part, index) => {
      const other = b.parts?.[index];
      return other === undefined || fits(part, other);
    })
  );
}

/** The common type of two branches; `dyn` where their types differ. */
export function joined(a: CelKind, b: CelKind): CelKind {
  return kindText(a) === kindText(b) ? a : dyn;
}
