/** Views whose code comes when they are first opened. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Broken } from './broken';

const MISSING =
  'Its code did not come: the server is away, or has been upgraded since this page was opened. A reload brings the page that the server has now.';

/** A component whose code is loaded when it is first shown; where that fails it says so, and can be asked again. */
export function lazily<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): ComponentType<P> {
  let loaded: ComponentType<P> | null = null;
  return function Lazily(props: P) {
    const [attempt, setAttempt] = useState(0);
    const [failed, setFailed] = useState(-1);
    const [, setLoaded] = useState(loaded !== null);
    useEffect(() => {
      let isHere = true;
      if (loaded) return;
      load().then(
        (module) => {
          loaded = module.default;
          if (isHere) setLoaded(true);
        },
        () => isHere && setFailed(attempt),
      );
      return () => {
        isHere = false;
      };
    }, [attempt]);
    const View = loaded;
    if (View) return <View {...props} />;
    if (failed === attempt) return <Broken says={MISSING} again={() => setAttempt(attempt + 1)} />;
    return <p class="hint">One moment…</p>;
  };
}
