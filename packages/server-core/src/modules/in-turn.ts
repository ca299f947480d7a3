/**
 * Creates things one after the other. Synchronous results need no promise; a config of a thousand routes would
 * otherwise create ten thousand promises.
 * @param make creates one thing; when it throws or rejects, nothing more is created
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

/** Passes an error of `work`, thrown or rejected, through `change`. */
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
