/**
 * Makes things one after the other. Those that are there at once need no promise, which for a config of a thousand routes
 * would be ten thousand of them.
 * @param make throws or rejects; then nothing after it is made
 */
export function inTurn<Made>(
  count: number,
  make: (index: number) => Made | Promise<Made>,
): Made[] | Promise<Made[]> {
  const made: Made[] = [];
  for (let index = 0; index < count; index++) {
    const one = make(index);
    if (one instanceof Promise) {
      return goOn(made, one, count, make);
    }
    made.push(one);
  }
  return made;
}

async function goOn<Made>(
  made: Made[],
  next: Promise<Made>,
  count: number,
  make: (index: number) => Made | Promise<Made>,
): Promise<Made[]> {
  made.push(await next);
  while (made.length < count) {
    made.push(await make(made.length));
  }
  return made;
}

/** Has what `work` throws, or rejects with, pass through `change`. */
export function withErrors<Made>(
  work: () => Made | Promise<Made>,
  change: (error: unknown) => Error,
): Made | Promise<Made> {
  try {
    const made = work();
    return made instanceof Promise
      ? made.catch((error: unknown) => {
          throw change(error);
        })
      : made;
  } catch (error) {
    throw change(error);
  }
}
