import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import {
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  StackingConfigBuilder,
  StackingMode,
  VizLegendOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  type Panel as GrafanaPanel,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import type { Dashboard, Panel, Query } from './model.ts';

const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
const COLUMNS = 24;

/** A dashboard as Grafana imports it. */
export function grafanaJson(dashboard: Dashboard): string {
  const builder = new DashboardBuilder(dashboard.title)
    .uid(dashboard.uid)
    .description(dashboard.about)
    .tags(['tandem'])
    .timezone('browser')
    .refresh('30s')
    .time({ from: 'now-1h', to: 'now' })
    .tooltip(DashboardCursorSync.Crosshair)
    .readonly()
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'))
    .link(
      new DashboardLinkBuilder('Tandem')
        .type(DashboardLinkType.Dashboards)
        .tags(['tandem'])
        .asDropdown(false)
        .keepTime(true),
    );
  let id = 0;
  for (const { title, panels } of dashboard.rows) {
    builder.withRow(new RowBuilder(title).id(++id));
    for (const panel of panels) builder.withPanel(panelOf(panel, panels.length, ++id));
  }
  return `${JSON.stringify(builder.build(), null, 2)}\n`;
}

function panelOf(panel: Panel, inRow: number, id: number): Builder<GrafanaPanel> {
  return panel.kind === 'stat' ? statOf(panel, inRow, id) : plotOf(panel, inRow, id);
}

function statOf(panel: Panel, inRow: number, id: number): Builder<GrafanaPanel> {
  const builder = new StatBuilder()
    .id(id)
    .title(panel.title)
    .description(panel.about)
    .datasource(DATASOURCE)
    .unit(panel.unit)
    .height(4)
    .span(Math.floor(COLUMNS / inRow))
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .thresholds(thresholdsOf(panel));
  for (const [index, query] of panel.queries.entries()) builder.withTarget(targetOf(query, index));
  return builder;
}

function plotOf(panel: Panel, inRow: number, id: number): Builder<GrafanaPanel> {
  const builder = new TimeSeriesBuilder()
    .id(id)
    .title(panel.title)
    .description(panel.about)
    .datasource(DATASOURCE)
    .unit(panel.unit)
    .min(0)
    .height(8)
    .span(Math.floor(COLUMNS / Math.min(inRow, inRow > 4 ? 3 : inRow)))
    .fillOpacity(panel.stacked ? 30 : 8)
    .lineWidth(1)
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom),
    );
  if (panel.max !== undefined) builder.max(panel.max);
  if (panel.stacked) builder.stacking(new StackingConfigBuilder().mode(StackingMode.Normal));
  for (const [index, query] of panel.queries.entries()) builder.withTarget(targetOf(query, index));
  return builder;
}

function targetOf({ expr, legend }: Query, index: number): Builder<Dataquery> {
  return new DataqueryBuilder()
    .refId(String.fromCharCode(65 + index))
    .expr(expr)
    .legendFormat(legend)
    .datasource(DATASOURCE)
    .range();
}

function thresholdsOf({ warnAt, badAt, goodFrom }: Panel): ThresholdsConfigBuilder {
  return new ThresholdsConfigBuilder()
    .mode(ThresholdsMode.Absolute)
    .steps([
      { value: null, color: goodFrom === undefined ? 'green' : 'red' },
      ...(goodFrom === undefined ? [] : [{ value: goodFrom, color: 'green' }]),
      ...(warnAt === undefined ? [] : [{ value: warnAt, color: 'yellow' }]),
      ...(badAt === undefined ? [] : [{ value: badAt, color: 'red' }]),
    ]);
}
