/** Where the page begins. */
import { render } from 'preact';
import { App } from './app';
import './style/tokens.css';
import './style/page.css';
import './style/query.css';
import './style/graph.css';
import './style/plan.css';
import './style/operate.css';
import './ui/theme';

const place = document.getElementById('app');
if (place) {
  place.replaceChildren();
  render(<App />, place);
}
