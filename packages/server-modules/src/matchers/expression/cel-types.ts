/** A type of CEL. `dyn` is any of them: what only the request tells. */
export interface CelKind {
  /** Name of the type in messages. */
  readonly name: string;
  /** Types of the elements of a list, or of the keys and values of a map. */
  readonly parts?: readonly CelKind[];
}

const named = (name: string): CelKind => ({ name });

export const dyn = named("dyn");
export const bool = named("bool");
export const int = named("int");
export const uint = named("uint");
export const double = named("double");
export const string = named("string");
export const bytes = named("bytes");
export const nil = named("null_type");
export const timestamp = named("timestamp");
export const duration = named("duration");
export const type = named("type");
export const list = (of: CelKind): CelKind => ({ name: "list", parts: [of] });
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
