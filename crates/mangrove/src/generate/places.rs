//! The static part of the network: places, organisations, tags and their classes.
//!
//! Ids: countries from 0, then cities, then continents; companies from 0, then universities; tags and classes from 0.

use super::GenerateError;
use super::dictionary::Dictionary;
use super::files::{Files, Table};

const URL: &str = "http://example.org/resource/";

/// The id of a city.
pub(super) fn city_id(dictionary: &Dictionary, city: usize) -> usize {
    dictionary.countries.len() + city
}

/// Writes everything that does not depend on people.
pub(super) fn write(dictionary: &Dictionary, files: &mut Files) -> Result<(), GenerateError> {
    write_places(dictionary, files)?;
    write_organisations(dictionary, files)?;
    write_tags(dictionary, files)
}

fn write_places(dictionary: &Dictionary, files: &mut Files) -> Result<(), GenerateError> {
    let first_continent = dictionary.countries.len() + dictionary.cities.len();
    for (id, country) in dictionary.countries.iter().enumerate() {
        let name = country.name;
        files.row(Table::Place, format_args!("{id}|{name}|{URL}{name}|country"))?;
        files.row(Table::PlaceIsPartOfPlace, format_args!("{id}|{}", first_continent + country.continent))?;
    }
    for (city, entry) in dictionary.cities.iter().enumerate() {
        let (id, name) = (city_id(dictionary, city), entry.name);
        files.row(Table::Place, format_args!("{id}|{name}|{URL}{name}|city"))?;
        files.row(Table::PlaceIsPartOfPlace, format_args!("{id}|{}", entry.country))?;
    }
    for (continent, name) in dictionary.continents.iter().enumerate() {
        files.row(
            Table::Place,
            format_args!("{}|{name}|{URL}{name}|continent", first_continent + continent),
        )?;
    }
    Ok(())
}

fn write_organisations(dictionary: &Dictionary, files: &mut Files) -> Result<(), GenerateError> {
    for (id, organisation) in dictionary.organisations.iter().enumerate() {
        let name = &organisation.name;
        let (kind, place) = match id < dictionary.companies {
            true => ("company", organisation.place),
            false => ("university", city_id(dictionary, organisation.place)),
        };
        files.row(Table::Organisation, format_args!("{id}|{kind}|{name}|{URL}{name}"))?;
        files.row(Table::OrganisationIsLocatedInPlace, format_args!("{id}|{place}"))?;
    }
    Ok(())
}

fn write_tags(dictionary: &Dictionary, files: &mut Files) -> Result<(), GenerateError> {
    for (id, class) in dictionary.classes.iter().enumerate() {
        let name = class.name;
        files.row(Table::TagClass, format_args!("{id}|{name}|{URL}{name}"))?;
        if let Some(parent) = class.parent {
            files.row(Table::TagClassIsSubclassOfTagClass, format_args!("{id}|{parent}"))?;
        }
    }
    for (id, tag) in dictionary.tags.iter().enumerate() {
        let name = &tag.name;
        files.row(Table::Tag, format_args!("{id}|{name}|{URL}{name}"))?;
        files.row(Table::TagHasTypeTagClass, format_args!("{id}|{}", tag.class))?;
    }
    Ok(())
}
