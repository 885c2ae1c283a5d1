create table stations(station_id integer primary key, name text, district text);
create table bikes(bike_id integer primary key, station_id int);
create table trips(trip_id integer primary key, start_station_id int, end_station_id int, bike_id int);
insert into stations values(1,'Opera','North'),(2,'Zoo','South');
insert into bikes values(1,1);
insert into trips values(1,1,2,1),(2,1,1,1),(3,2,null,1);
