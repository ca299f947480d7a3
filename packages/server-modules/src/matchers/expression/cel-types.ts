/** A CEL type. `dyn` is a type that is known only with the request. */
export interface CelKind {
  /** Name of the type in messages. */
  readonly name: string;
  /** Element type of a list, or key and value types of a map. */
  readonly parts?: readonly CelKind[];
}

const named = (name: string): CelKind => ({ name });

/** Any type, known only with the request. */
export const dyn = named("dyn");
export const bool = named("bool");
/** 64-bit integers, signed and unsigned. CEL never converts between numbers implicitly. */
export const int = named("int");
export const uint = named("uint");
export const double = named("double");
export const string = named("string");
export const bytes = named("bytes");
export const nil = named("null_type");
/** A point in time, and below a duration, both with nanoseconds. */
export const timestamp = named("timestamp");
export const duration = named("duration");
/** The type of a type, as `type(1) == int` compares. */
export const type = named("type");
export const list = (of: CelKind): CelKind => ({ name: "list", parts: [of] });
export const map = (key: CelKind, value: CelKind): CelKind => ({ name: "map", parts: [key, value] });

/** Name of a type in Caddy's form: `list(string)`. */
export function kindText({ name, parts }: CelKind): string {
  return parts === undefined ? name : `${name}(${parts.map(kindText).join(", ")})`;
}

/** True when a value of type `a` is allowed where `b` is required. */
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

/** The common type of two branches; `dyn` for different types. */
export function joined(a: CelKind, b: CelKind): CelKind {
  return kindText(a) === kindText(b) ? a : dyn;
}
