/** Where the page begins. */
import { render } from 'preact';
import { App } from './app';
// With the page, and not with the view that needs it: a style that did not come would not be asked for again.
import 'uplot/dist/uPlot.min.css';
import './style/tokens.css';
import './style/page.css';
import './style/query.css';
import './style/graph.css';
import './style/plan.css';
import './style/operate.css';
import { Boundary } from './ui/broken';
import './ui/theme';

const place = document.getElementById('app');
if (place) {
  place.replaceChildren();
  render(
    <Boundary>
      <App />
    </Boundary>,
    place,
  );
}
