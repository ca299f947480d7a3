/** All answers of a backend in a comparable form, by question. */
export type Answers = Readonly<Record<string, unknown>>;

/** A part in which the answers of two backends differ. */
export interface Difference {
  readonly question: string;
  /** Path of the difference in the answer, such as `data[0].spans[5bad01…].tags[int].value`. */
  readonly path: string;
  /** Absent when this side has no value at the path. */
  readonly theirs?: unknown;
  readonly ours?: unknown;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Identifies an element within its list: an id, or the key of a tag, which is a text `key = …`. */
function nameOf(element: unknown): string | undefined {
  if (typeof element === "string") {
    return element.split(" = ", 1)[0];
  }
  if (!isObject(element)) {
    return undefined;
  }
  const name =
    element.spanID ?? element.spanId ?? element.key ?? element.name ?? element.traceID ?? element.traceId;
  return name === undefined ? undefined : String(name);
}

/** Elements by name; equal names get a number. Elements without a name are listed by index. */
function named(elements: readonly unknown[]): Map<string, unknown> {
  const counts = new Map<string, number>();
  return new Map(
    elements.map((element, index) => {
      const name = nameOf(element) ?? String(index);
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return [count === 1 ? name : `${name}#${count}`, element];
    }),
  );
}

function* listDifferences(
  question: string,
  path: string,
  theirs: readonly unknown[],
  ours: readonly unknown[],
): Generator<Difference> {
  const [left, right] = [named(theirs), named(ours)];
  const all = [...left.keys(), ...[...right.keys()].filter((name) => !left.has(name))];
  for (const name of all) {
    const at = `${path}[${name}]`;
    if (!right.has(name)) {
      yield { question, path: at, theirs: left.get(name) };
    } else if (!left.has(name)) {
      yield { question, path: at, ours: right.get(name) };
    } else {
      yield* partDifferences(question, at, left.get(name), right.get(name));
    }
  }
  const [leftOrder, rightOrder] = [
    [...left.keys()].filter((name) => right.has(name)),
    [...right.keys()].filter((name) => left.has(name)),
  ];
  if (leftOrder.some((name, index) => name !== rightOrder[index])) {
    yield { question, path: `${path} (order)`, theirs: leftOrder, ours: rightOrder };
  }
}

function* partDifferences(
  question: string,
  path: string,
  theirs: unknown,
  ours: unknown,
): Generator<Difference> {
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    yield* listDifferences(question, path, theirs, ours);
  } else if (isObject(theirs) && isObject(ours)) {
    for (const key of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
      const at = path === "" ? key : `${path}.${key}`;
      if (!Object.hasOwn(ours, key)) {
        yield { question, path: at, theirs: theirs[key] };
      } else if (!Object.hasOwn(theirs, key)) {
        yield { question, path: at, ours: ours[key] };
      } else {
        yield* partDifferences(question, at, theirs[key], ours[key]);
      }
    }
  } else if (!Object.is(theirs, ours)) {
    yield { question, path, theirs, ours };
  }
}

/** All differences between the answers of two backends, in the order of the questions. */
export function compareAnswers(theirs: Answers, ours: Answers): Difference[] {
  return [...partDifferencesByQuestion(theirs, ours)];
}

function* partDifferencesByQuestion(theirs: Answers, ours: Answers): Generator<Difference> {
  for (const question of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
    if (!Object.hasOwn(ours, question)) {
      yield { question, path: "", theirs: theirs[question] };
    } else if (!Object.hasOwn(theirs, question)) {
      yield { question, path: "", ours: ours[question] };
    } else {
      yield* partDifferences(question, "", theirs[question], ours[question]);
    }
  }
}
